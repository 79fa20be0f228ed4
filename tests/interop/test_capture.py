"""The real client, pointed at the recording endpoint: it works as usual, and what it sent is known word for word."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.owner.key import owner_key
from tests.inspector.agents.server import Call, Say, messages_server
from tests.interop.client import Client, client_command, missing
from tests.serving import lucid, serving, wait_until

pytestmark = [
    pytest.mark.interop,
    pytest.mark.skipif(
        not client_command(), reason=f"NOTHING WAS RECORDED: {missing()}; `make interop` installs the client"
    ),
]
WORDS = "When is high water?"
MODEL = "claude-opus-5-5"


def test_the_client_works_through_the_endpoint_and_its_contexts_are_recorded(tmp_path: Path) -> None:
    home, config = tmp_path / "home", tmp_path / "person" / "config"
    with messages_server() as upstream:
        upstream.answer(Say(calls=(Call("Bash", {"command": "echo 12:04"}),)))
        upstream.otherwise = Say("At four minutes past noon.")
        extra = {"LUCID_CAPTURE_UPSTREAM": upstream.url, "CLAUDE_CONFIG_DIR": str(config)}
        with serving(home, **extra) as server:
            through = f"{server.url}/capture/{owner_key(home).capture_secret}"
            client = Client(tmp_path / "person", upstream, through=through)
            result = client.run("--print", WORDS, "--model", MODEL, "--allowedTools", "Bash")
            assert result.returncode == 0, result.stderr
            assert "four minutes past noon" in result.stdout
            sessions = list((config / "projects").glob("*/*.jsonl"))
            assert len(sessions) == 1
            wait_until(lambda: len(json.loads(lucid(home, "capture", "list", "--json", **extra).stdout)) >= 2)
            assert b"recorded" in server.get(f"/sessions/{sessions[0].stem}/context/").body
        captures = json.loads(lucid(home, "capture", "list", "--json", **extra).stdout)
        assert upstream.key not in json.dumps(captures)
        answered = {capture["message_id"]: capture for capture in captures if capture["session"] == sessions[0].stem}
        data = json.loads(lucid(home, "requests", sessions[0].stem, "--json", **extra).stdout)
        assert data
        for request in data:
            assert request["message_id"] in answered
            line = lucid(home, "context", sessions[0].stem, "--request", request["message_id"], "--json", **extra)
            assert json.loads(line.stdout)["exactness"] == "recorded"
