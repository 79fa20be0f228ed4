"""A program of our own stands in for `claude`: it writes down how it was called, and prints what it is told to."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inspector.agents.cancel import CancelToken
from inspector.agents.claude_cli import ClaudeCli
from inspector.agents.errors import (
    BadRequestError,
    CancelledError,
    CutMidStreamError,
    ModelError,
    OverloadedError,
    PromptTooLongError,
    RateLimitedError,
    SpendCapError,
    TimedOutError,
    UnauthorisedError,
    UnreachableError,
)
from inspector.agents.model import Ask
from inspector.agents.retrying import Retries
from sessions.usage.engine.usage import Usage
from tests.serving import wait_until

ASK = Ask("sonnet", ({"role": "user", "content": "Hi\n🎈"},), system="Be brief.")
ONCE = Retries(attempts=1)


class Program:
    def __init__(self, folder: Path) -> None:
        self.path = folder / "claude"
        self.seen = folder / "seen.json"
        self.runs = folder / "runs"

    def prints(self, output: str, *, code: int = 0, stderr: str = "", reads: bool = True) -> str:
        self._write(
            f"""
            stdin = sys.stdin.buffer.read().decode() if {reads} else ""
            flag = "--system-prompt-file"
            system = open(sys.argv[sys.argv.index(flag) + 1]).read() if flag in sys.argv else None
            said = dict(argv=sys.argv[1:], stdin=stdin, files=os.listdir("."), cwd=os.getcwd(), system=system)
            json.dump(said, open({str(self.seen)!r}, "w"))
            open({str(self.runs)!r}, "a").write("x")
            sys.stdout.write({output!r})
            sys.stderr.write({stderr!r})
            sys.exit({code})
            """
        )
        return str(self.path)

    def hangs(self, pid_file: Path) -> str:
        self._write(
            f"""
            import subprocess, time
            child = subprocess.Popen(["sleep", "60"])
            open({str(pid_file)!r}, "w").write(str(child.pid))
            time.sleep(60)
            """
        )
        return str(self.path)

    def _write(self, lines: str) -> None:
        body = "\n".join(line.strip() for line in lines.strip().splitlines())
        self.path.write_text(f"#!{sys.executable}\nimport json, os, sys\n{body}\n")
        self.path.chmod(0o755)

    @property
    def called(self) -> dict[str, Any]:
        call: dict[str, Any] = json.loads(self.seen.read_text())
        return call


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


def result(text: str = "Hello", **more: Any) -> str:
    usage = {"input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 5}
    message = {"type": "result", "subtype": "success", "is_error": False, "result": text, "usage": usage, **more}
    return json.dumps(message)


def test_it_answers_with_what_the_program_printed(program: Program) -> None:
    path = program.prints(result(total_cost_usd=0.25, modelUsage={"claude-sonnet-5": {}}))
    reply = ClaudeCli(path).ask(ASK)
    assert (reply.text, reply.cost_usd, reply.model) == ("Hello", 0.25, "claude-sonnet-5")
    assert reply.usage == Usage(input=3, cache_read=4, output=5)


def test_it_keeps_out_everything_that_is_the_users_own(program: Program) -> None:
    ClaudeCli(program.prints(result())).ask(ASK)
    called = program.called
    assert called["argv"] == [
        *("--print", "--output-format", "json", "--no-session-persistence"),
        *("--tools", "", "--strict-mcp-config", "--setting-sources", "", "--disable-slash-commands"),
        *("--model", "sonnet", "--system-prompt", "Be brief."),
    ]
    assert called["stdin"] == "Hi\n🎈"
    assert called["files"] == []
    assert not Path(called["cwd"]).exists()


def test_a_long_system_prompt_goes_through_a_file(program: Program) -> None:
    ClaudeCli(program.prints(result())).ask(replace(ASK, system="ä" * 80_000))
    assert program.called["system"] == "ä" * 80_000


def test_a_conversation_is_written_out(program: Program) -> None:
    messages = (
        {"role": "user", "content": "Look"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "Read", "input": {"a": 1}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "seen"}]},
    )
    ClaudeCli(program.prints(result())).ask(replace(ASK, messages=messages))
    text = program.called["stdin"]
    assert text.index("<user>\nLook") < text.index('[calls Read with {"a": 1}]') < text.index("[result]\nseen\n</user>")


def test_the_result_is_found_in_a_list_of_messages(program: Program) -> None:
    output = json.dumps([{"type": "system"}, json.loads(result("Hello")), {"type": "other"}])
    assert ClaudeCli(program.prints(output)).ask(ASK).text == "Hello"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("Prompt is too long", PromptTooLongError),
        ("API Error: 400 prompt is too long: 208310 tokens > 200000 maximum", PromptTooLongError),
        ("API Error: Rate limit reached", RateLimitedError),
        ("Claude AI usage limit reached|1756000000", SpendCapError),
        ("You've hit your limit · resets 3pm", SpendCapError),
        ("Credit balance is too low", SpendCapError),
        ("Invalid API key · Fix external API key", UnauthorisedError),
        ("Not logged in · Please run /login", UnauthorisedError),
        ("API Error: 529 Overloaded", OverloadedError),
        ("API Error: Connection error.", UnreachableError),
        ("API Error: Request timed out.", TimedOutError),
        ("Something else entirely", BadRequestError),
    ],
)
def test_its_errors_are_told_by_their_words(program: Program, text: str, error: type[ModelError]) -> None:
    path = program.prints(result(text, is_error=True), code=1)
    with pytest.raises(error) as raised:
        ClaudeCli(path, retries=ONCE).ask(ASK)
    assert str(raised.value).endswith(".")
    assert raised.value.usage is not None


def test_what_it_says_without_a_result_is_an_error_too(program: Program) -> None:
    with pytest.raises(UnauthorisedError):
        ClaudeCli(program.prints("", code=1, stderr="Please run /login")).ask(ASK)
    with pytest.raises(BadRequestError, match="exit 3"):
        ClaudeCli(program.prints("", code=3)).ask(ASK)


@pytest.mark.parametrize("output", ["nonsense", "[]", "3"])
def test_what_is_no_result_is_an_error(program: Program, output: str) -> None:
    with pytest.raises(CutMidStreamError):
        ClaudeCli(program.prints(output), retries=ONCE).ask(ASK)


def test_an_overloaded_api_is_tried_again(program: Program) -> None:
    path = program.prints(result("API Error: 529 Overloaded", is_error=True))
    with pytest.raises(OverloadedError):
        ClaudeCli(path, retries=Retries(attempts=3, first=0.01)).ask(ASK)
    assert program.runs.read_text() == "xxx"


def test_a_program_that_is_not_there_is_said() -> None:
    with pytest.raises(UnreachableError, match="cannot be started"):
        ClaudeCli("/no/such/claude").ask(ASK)


def test_a_program_that_does_not_read_a_long_prompt_does_no_harm(program: Program) -> None:
    path = program.prints(result(), reads=False)
    assert ClaudeCli(path).ask(replace(ASK, messages=({"role": "user", "content": "x" * 500_000},))).text == "Hello"


def alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False


def test_stopping_it_kills_the_program_and_what_it_started(program: Program, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    cli = ClaudeCli(program.hangs(pid_file))
    token = CancelToken(probe=lambda: pid_file.exists() and pid_file.read_text() != "")
    began = time.monotonic()
    with pytest.raises(CancelledError):
        cli.ask(replace(ASK, cancel=token))
    assert time.monotonic() - began < 10
    wait_until(lambda: not alive(int(pid_file.read_text())))


def test_one_that_takes_too_long_is_killed(program: Program, tmp_path: Path) -> None:
    with pytest.raises(TimedOutError, match="did not finish"):
        ClaudeCli(program.hangs(tmp_path / "pid"), seconds=0.3).ask(ASK)
