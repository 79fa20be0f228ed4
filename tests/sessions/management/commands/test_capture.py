from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from sessions.capture.endpoint.spool import Spool
from sessions.capture.services.captures import capture_store
from tests.sessions.capture.capturing import MARK, exchange, message, request

pytestmark = pytest.mark.django_db
BODY = request({"role": "user", "content": [{"type": "text", "text": "Hi", "cache_control": MARK}]})


def printed(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command("capture", *arguments, stdout=out, **options)
    return out.getvalue()


def test_the_list_is_one_document_the_newest_first() -> None:
    capture_store(exchange=exchange(BODY, message("msg_a"), at=1000, headers=[("x-claude-code-session-id", "s-1")]))
    capture_store(exchange=exchange(BODY, message("msg_b"), at=2000))
    data = json.loads(printed("list", "--json"))
    assert [item["message_id"] for item in data] == ["msg_b", "msg_a"]
    assert data[1]["at"] == "1970-01-01T00:00:01.000Z"
    assert (data[1]["session"], data[0]["session"]) == ("s-1", None)
    assert (data[0]["input"], data[0]["cache_read"], data[0]["output"], data[0]["status"]) == (3, 0, 5, 200)
    assert len(json.loads(printed("list", "--json", "--limit", "1"))) == 1
    assert [item["message_id"] for item in json.loads(printed("list", "--json", "--session", "s-"))] == ["msg_a"]


def test_one_is_shown_whole_by_its_number_or_its_answer() -> None:
    capture = capture_store(exchange=exchange(BODY, message("msg_a"), headers=[("anthropic-beta", "one,two")]))
    assert capture is not None
    data = json.loads(printed("show", "msg_a", "--json"))
    assert data == json.loads(printed("show", str(capture.pk), "--json"))
    assert data["request"] == BODY
    assert data["answer"] == message("msg_a")
    assert data["betas"] == ["one", "two"]
    assert data["marks"] == [{"path": ["messages", 0, "content", 0], "value": MARK}]
    assert "1 message, 0 system blocks, 0 tools, 1 mark" in printed("show", "msg_a")


def test_secrets_of_a_body_are_masked_unless_they_are_asked_for() -> None:
    servers = [{"type": "url", "url": "https://dev:swordfish@mcp.host/sse?token=aB3dE6gH9jK2", "name": "tide"}]
    tool = {"name": "fetch", "headers": {"x-api-key": "swordfish"}, "input_schema": {"type": "object"}}
    secrets = {"api_key": "swordfish", "mcp_servers": servers, "tools": [tool], "metadata": {"password": "swordfish"}}
    capture_store(exchange=exchange({**BODY, **secrets}, message("msg_a")))

    assert "swordfish" not in printed("show", "msg_a", "--json") + printed("show", "msg_a")
    assert "aB3dE6gH9jK2" not in printed("show", "msg_a", "--json") + printed("show", "msg_a")
    assert json.loads(printed("show", "msg_a", "--json", "--raw"))["request"] == {**BODY, **secrets}


def test_what_waits_is_stored_first(tmp_path: Path) -> None:
    Spool(tmp_path / "captures").write(exchange(BODY, message("msg_waits")))
    with override_settings(LUCID_HOME=tmp_path):
        assert "msg_waits" in printed("list")


def test_what_was_not_captured_is_a_clear_failure() -> None:
    with pytest.raises(CommandError, match="Nothing was captured as 'msg_none'"):
        printed("show", "msg_none")
