"""The `claude` command line as a model, for people who have a subscription and no key.

One turn of text without tools: a conversation is written out as text. The program gets nothing of the user's own: no
settings, hooks, MCP servers, skills or memory. It runs in an empty directory, and the session is not saved.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from inspector.agents.cancel import TICK
from inspector.agents.errors import (
    BadRequestError,
    CutMidStreamError,
    ModelError,
    OverloadedError,
    RateLimitedError,
    RefusedError,
    SpendCapError,
    TimedOutError,
    UnauthorisedError,
    UnreachableError,
)
from inspector.agents.failures import prompt_too_long
from inspector.agents.model import Ask, Json, Reply
from inspector.agents.process_group import end_group
from inspector.agents.retrying import Retries, with_retries
from sessions.usage.engine.usage import Usage

_PREAMBLE = (
    "Below is a conversation between a user and an assistant, oldest message first. "
    "Give the assistant's next message, and nothing else."
)
LONGEST_ARGUMENT = 100_000
"""Bytes; the system accepts 128 KiB for one argument."""

_WORDS: tuple[tuple[type[ModelError], tuple[str, ...]], ...] = (
    (RateLimitedError, ("rate limit", "429", "too many requests")),
    (SpendCapError, ("limit reached", "hit your limit", "usage limit", "credit balance", "extra usage")),
    (UnauthorisedError, ("invalid api key", "/login", "not logged in", "oauth", "authenticat", "401", "403")),
    (OverloadedError, ("overloaded", "529", "internal server error", "api error: 5")),
    (RefusedError, ("usage policy", "refus")),
    (UnreachableError, ("connection error", "econnrefused", "enotfound", "fetch failed", "unable to connect")),
    (TimedOutError, ("timed out", "timeout")),
)


class ClaudeCli:
    """Answers through a headless `claude`, which does its own retries."""

    name = "claude command line"
    verbatim = False

    def __init__(self, program: str, *, seconds: float = 900.0, retries: Retries | None = None) -> None:
        self._program = program
        self._seconds = seconds
        self._retries = retries or Retries(attempts=2)

    def ask(self, ask: Ask, /) -> Reply:
        prompt = flat_prompt(ask.messages).encode("utf-8", "replace")
        return with_retries(ask, self._retries, lambda attempt: self._answer(ask, prompt, attempt))

    def _answer(self, ask: Ask, prompt: bytes, attempt: int) -> Reply:
        with tempfile.TemporaryDirectory(prefix="lucid-claude-", ignore_cleanup_errors=True) as folder:
            output = self._run(self._command(ask, Path(folder)), prompt, ask, Path(folder))
        return _reply(output, attempt)

    def _command(self, ask: Ask, folder: Path) -> list[str]:
        command = [self._program, "--print", "--output-format", "json", "--no-session-persistence"]
        command += ["--tools", "", "--strict-mcp-config", "--setting-sources", "", "--disable-slash-commands"]
        if ask.model:
            command += ["--model", ask.model]
        system = flat_system(ask.system)
        if len(system.encode("utf-8", "replace")) > LONGEST_ARGUMENT:
            file = folder / "system.md"
            file.write_text(system, encoding="utf-8", errors="replace")
            return [*command, "--system-prompt-file", str(file)]
        return [*command, "--system-prompt", system.replace("\0", "")] if system else command

    def _run(self, command: list[str], prompt: bytes, ask: Ask, folder: Path) -> str:
        work = folder / "empty"
        work.mkdir()
        with (folder / "answer").open("w+b") as answer, (folder / "errors").open("w+b") as errors:
            try:
                process = subprocess.Popen(
                    command, cwd=work, stdin=subprocess.PIPE, stdout=answer, stderr=errors, start_new_session=True
                )
            except OSError as error:
                raise UnreachableError("The claude command cannot be started.", retryable=False) from error
            try:
                # A pipe holds little at a time; the thread ends with the process.
                threading.Thread(target=_write, args=(process, prompt), daemon=True).start()
                self._wait(process, ask)
            finally:
                end_group(process)
            answer.seek(0)
            errors.seek(0)
            output = answer.read().decode(errors="replace")
            if not output.strip():
                raise _error(errors.read().decode(errors="replace"), f"exit {process.returncode}")
            return output

    def _wait(self, process: subprocess.Popen[bytes], ask: Ask) -> None:
        deadline = time.monotonic() + self._seconds
        while True:
            ask.cancel.check()
            try:
                process.wait(TICK)
            except subprocess.TimeoutExpired:
                if time.monotonic() > deadline:
                    sentence = f"The claude command did not finish within {self._seconds:,.0f} seconds."
                    raise TimedOutError(sentence, retryable=False) from None
            else:
                return


def _write(process: subprocess.Popen[bytes], prompt: bytes) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(prompt)
        process.stdin.close()
    except OSError:  # it went without having read everything
        return


def _reply(output: str, attempt: int) -> Reply:
    result = _result(output)
    text = result.get("result")
    usage = Usage.from_raw(result.get("usage")) or Usage()
    # `subtype` says “success” even where the request failed, so it is not asked.
    if result.get("is_error") or not isinstance(text, str):
        error = _error(text if isinstance(text, str) else "", str(result.get("subtype") or "no result"))
        error.usage = usage
        raise error
    cost = result.get("total_cost_usd")
    models = result.get("modelUsage")
    return Reply(
        content=({"type": "text", "text": text},) if text else (),
        stop_reason=result.get("stop_reason") or "end_turn",
        usage=usage,
        model=next(iter(models), "") if isinstance(models, dict) else "",
        attempts=attempt,
        cost_usd=float(cost) if isinstance(cost, int | float) else None,
    )


def _result(output: str) -> Json:
    """The result message: the whole output, or the last in a list of messages."""
    try:
        result: Any = json.loads(output)
    except ValueError as error:
        raise CutMidStreamError("The claude command printed no JSON.") from error
    if isinstance(result, list):
        result = next((row for row in reversed(result) if isinstance(row, dict) and row.get("type") == "result"), None)
    if not isinstance(result, dict):
        raise CutMidStreamError("The claude command printed no result.")
    return result


def _error(text: str, otherwise: str) -> ModelError:
    """The errors are prose, so the words in them tell the kind."""
    if too_long := prompt_too_long(text):
        return too_long
    folded = text.lower()
    for kind, words in _WORDS:
        if any(word in folded for word in words):
            return kind(f"{kind.sentence.rstrip('.')} (said the claude command).", retryable=kind is OverloadedError)
    quote = " ".join(text.split())[:200].rstrip(".") or otherwise
    return BadRequestError(f"The claude command failed: {quote}.")


def flat_system(system: str | Sequence[Json]) -> str:
    if isinstance(system, str):
        return system
    return "\n\n".join(block["text"] for block in system if isinstance(block.get("text"), str))


def flat_prompt(messages: Sequence[Json]) -> str:
    """A single message becomes the prompt itself; of several, each stands in a tag named after its role."""
    if len(messages) == 1:
        return _content(messages[0].get("content"))
    parts = (f"<{_role(message)}>\n{_content(message.get('content'))}\n</{_role(message)}>" for message in messages)
    return "\n\n".join((_PREAMBLE, *parts))


def _role(message: Json) -> str:
    role = message.get("role")
    return role if role in ("assistant", "system") else "user"


def _content(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n\n".join(part for part in _parts(content or ()) if part)


def _parts(blocks: Iterable[Any]) -> Iterable[str]:
    for block in blocks:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text":
            yield str(block.get("text", ""))
        elif kind == "tool_use":
            arguments = json.dumps(block.get("input"), ensure_ascii=False)
            yield f"[calls {block.get('name')} with {arguments}]"
        elif kind == "tool_result":
            yield f"[result]\n{_content(block.get('content'))}"
        elif kind in ("image", "document"):
            yield f"[{kind}]"
