"""`lucid lint-request` on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.serving import PATIENCE, ROOT, environment, lucid
from tests.sessions.lint.engine.bodies import BOUND, assistant, body, call, result, thought, user

OPEN = body(user("go"), assistant(call("toolu_1")), user("stop"))


def run(*arguments: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("lint-request", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def written(folder: Path, *bodies: Any, name: str = "request.json") -> str:
    path = folder / name
    path.write_text("\n".join(json.dumps(item) for item in bodies))
    return str(path)


def test_it_prints_one_document(tmp_path: Path) -> None:
    out, _ = run(written(tmp_path, OPEN), "--json")
    (finding,) = json.loads(out)["findings"]
    assert finding["rule"] == "unanswered-call"
    assert finding["path"] == "messages[1].content[0]"
    assert finding["severity"] == "refused"
    assert "immediately after: toolu_1" in finding["api_error"]
    assert finding["message"]
    assert finding["repair"]


def test_a_request_without_fault_has_no_findings(tmp_path: Path) -> None:
    assert json.loads(run(written(tmp_path, body(user("go"))), "--json")[0])["findings"] == []
    assert run(written(tmp_path, body(user("go")))) == ("", "nothing found\n")


def test_people_get_sentences(tmp_path: Path) -> None:
    out, _ = run(written(tmp_path, OPEN))
    assert out.startswith("refused  messages[1].content[0]  unanswered-call: The call toolu_1 has no result")
    assert "    the API: messages.1: `tool_use` ids were found without" in out
    assert "    repair: Put its result" in out


def test_what_a_request_says_cannot_steer_the_terminal(tmp_path: Path) -> None:
    out, _ = run(written(tmp_path, body(user("go"), assistant(call("x\x1b[2J")), user("stop"))))
    assert "\x1b" not in out


def test_another_model_can_be_named(tmp_path: Path) -> None:
    path = written(tmp_path, body(user("go"), assistant("The answer is")))
    assert [finding["rule"] for finding in json.loads(run(path, "--json")[0])["findings"]] == ["prefill"]
    assert json.loads(run(path, "--json", "--model", "claude-haiku-4-5")[0])["findings"] == []


def test_requests_on_lines_are_told_apart(tmp_path: Path) -> None:
    document = json.loads(run(written(tmp_path, body(user("go")), OPEN, OPEN), "--json")[0])
    assert document["requests"] == 3
    assert [finding["request"] for finding in document["findings"]] == [1, 2]


def test_of_requests_in_a_row_dead_thinking_is_found(tmp_path: Path) -> None:
    first = body(user("go"), assistant(thought(), call("a")), user(result("a")), model=BOUND)
    second = body(user("went"), *first["messages"][1:], assistant(thought("so"), "ok"), user("and?"), model=BOUND)
    findings = json.loads(run(written(tmp_path, first, second), "--json")[0])["findings"]
    assert [(finding["rule"], finding["path"]) for finding in findings] == [("dead-thinking", "messages[1].content[0]")]


def test_the_request_before_can_be_a_file(tmp_path: Path) -> None:
    first = body(user("go"), assistant(thought(), "ok"), user("and?"), model=BOUND)
    before = written(tmp_path, first, name="before.json")
    path = written(tmp_path, {**first, "system": "be brief"})
    assert [finding["rule"] for finding in json.loads(run(path, "--json", "--before", before)[0])["findings"]] == [
        "dead-thinking"
    ]


def test_it_prints_the_repaired_body(tmp_path: Path) -> None:
    out, err = run(written(tmp_path, OPEN), "--repair")
    repaired = json.loads(out)
    assert repaired["max_tokens"] == OPEN["max_tokens"]
    assert [block["type"] for block in repaired["messages"][2]["content"]] == ["tool_result", "text"]
    assert err.startswith("messages[1].content[0]: Added a placeholder")
    assert json.loads(run(written(tmp_path, repaired), "--json")[0])["findings"] == []


def test_what_needs_no_repair_is_printed_as_it_is(tmp_path: Path) -> None:
    out, err = run(written(tmp_path, body(user("go"))), "--repair")
    assert (json.loads(out), err) == (body(user("go")), "")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it is empty."),
        (b"  \n", "it is empty."),
        (b"\xff\xfe{", "it is not UTF-8 (byte 0)."),
        (b"{", "it is not JSON (Expecting property name enclosed in double quotes at line 1, column 2)."),
        (b'{"a": 1,\n}', "it is not JSON ("),
        (b'{"messages": []}\n{', "line 2 is not JSON ("),
        (b'{"messages": []}\n3', "line 2 is not a request's body"),
        (b'[{"role": "user"}]', "it is not a request's body"),
        (b"[" * 100_000, "it is not JSON (too deep)."),
        (b"9" * 5000, "it is not JSON ("),
    ],
)
def test_what_is_no_request_is_said_in_one_sentence(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "request.json"
    path.write_bytes(content)
    with pytest.raises(CommandError) as caught:
        run(str(path), "--json")
    assert str(caught.value).startswith(f"cannot read {path}: {reason}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["missing.json", ".", "no\0name"])
def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(CommandError, match=r"^cannot read .+: .+"):
        run(str(tmp_path / name))


def test_a_body_without_messages_cannot_be_repaired(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="nothing to repair"):
        run(written(tmp_path, {"messages": 3}), "--repair")


def test_it_reads_standard_input_and_needs_no_database(tmp_path: Path) -> None:
    outcome = subprocess.run(
        [sys.executable, "-m", "inspector", "lint-request", "-", "--json"],
        cwd=ROOT,
        env=environment(tmp_path / "home"),
        input=json.dumps(OPEN),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert json.loads(outcome.stdout)["findings"][0]["rule"] == "unanswered-call"
    assert not list((tmp_path / "home").glob("*.sqlite3"))


def test_a_clear_failure_has_status_1(tmp_path: Path) -> None:
    outcome = lucid(tmp_path / "home", "lint-request", str(tmp_path / "missing.json"), "--json")
    assert (outcome.returncode, outcome.stdout) == (1, "")
    assert outcome.stderr == f"lucid: cannot read {tmp_path / 'missing.json'}: No such file or directory\n"
