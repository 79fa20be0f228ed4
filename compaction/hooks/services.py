"""Runs the hooks that somebody wants to run around a compaction, as the client does: in a shell, with JSON to read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from django.conf import settings

from compaction.hooks.selectors import STARTED, Hook
from compaction.kinds.services.watcher import SilentWatcher, Watcher
from compaction.mechanisms.engine import Trigger
from inspector.agents.cancel import TICK, CancelToken
from inspector.agents.process_group import end_group
from sessions.models import Transcript
from sessions.text.engine import words
from sessions.transcripts.engine.paths import decode_path

MOST_TEXT = 10_000
"""Characters that are taken of what a hook says."""
MOST_BYTES = 1_000_000
"""A hook that writes more is ended."""
BLOCKS = 2


class HookBlockedError(Exception):
    """A hook does not want the compaction. The text says why."""


@dataclass(frozen=True, slots=True)
class HookRun:
    """One hook that has run."""

    event: str
    command: str
    origin: str
    file: str
    exit: int | None
    """None if it was ended."""
    output: str
    errors: str
    seconds: float
    note: str = ""
    """Why it was ended."""

    @property
    def sentence(self) -> str:
        how, took = self.note or f"exit {self.exit}", words.duration(1000 * self.seconds)
        return f"{self.event} hook of the {self.origin} settings ({how}, {took}): {self.command}"

    @property
    def said(self) -> str:
        return (self.output.strip() or self.errors).strip()


@dataclass(slots=True)
class RunningHooks:
    """The hooks of a run: each is told to its watcher, and what it said is kept."""

    hooks: Sequence[Hook]
    transcript: Transcript
    watcher: Watcher = field(default_factory=SilentWatcher)
    cancel: CancelToken = field(default_factory=CancelToken)
    ran: list[HookRun] = field(default_factory=list)

    @property
    def report(self) -> list[dict[str, Any]]:
        return [asdict(one) for one in self.ran]

    def pre_compact(self, trigger: Trigger, instructions: str) -> str:
        given = {"trigger": str(trigger), "custom_instructions": instructions or None}
        texts = []
        for one in self._run("PreCompact", given):
            said = _object(one.output)
            if (why := _block(one, said)) is not None:
                raise HookBlockedError(f"A PreCompact hook has stopped it: {why or 'it gave no reason'}")
            if one.exit == 0:
                texts.append(_context(said) if said is not None else one.output)
        return "\n\n".join(text.strip() for text in texts if text.strip())

    def session_start(self) -> Sequence[str]:
        """As the client tells them to the model."""
        texts = []
        for one in self._run("SessionStart", {"source": STARTED}):
            said = _object(one.output)
            text = (_context(said) if said is not None else one.output).strip()
            if one.exit == 0 and text:
                label = "hook additional context" if said is not None else "hook success"
                texts.append(f"<system-reminder>\nSessionStart:{STARTED} {label}: {text}\n</system-reminder>")
        return texts

    def post_compact(self, trigger: Trigger, summary: str) -> Sequence[str]:
        """They only look on: what they say is for people."""
        for _ in self._run("PostCompact", {"trigger": str(trigger), "compact_summary": summary}):
            pass
        return ()

    def _run(self, event: str, given: Mapping[str, Any]) -> Iterator[HookRun]:
        """One after the other, as long as they are asked for."""
        mine = [hook for hook in self.hooks if hook.event == event]
        if mine:
            self.watcher.phase(f"running the {event} hooks", total=len(mine), unit="hooks")
        for number, hook in enumerate(mine):
            self.watcher.step(number)
            one = run_hook(hook, {**self._situation(event), **given}, self.transcript.cwd, self.cancel)
            self.ran.append(one)
            self.watcher.note(f"{one.sentence}\n\n{one.said}".strip())
            yield one

    def _situation(self, event: str) -> dict[str, Any]:
        return {
            "session_id": self.transcript.session_id,
            "transcript_path": str(decode_path(self.transcript.source.path)),
            "cwd": self.transcript.cwd,
            "hook_event_name": event,
        }


def run_hook(hook: Hook, given: Mapping[str, Any], cwd: str, cancel: CancelToken) -> HookRun:
    """Until it ends, its time is up, it says too much, or the run is stopped."""
    began = time.monotonic()
    shell = shutil.which("bash") or "/bin/sh"
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        asked.write(json.dumps(given, ensure_ascii=False).encode("utf-8", "replace"))
        asked.seek(0)
        process = subprocess.Popen(
            [shell, "-c", hook.command],
            cwd=cwd if cwd and Path(cwd).is_dir() else Path.home(),
            env={**settings.USER_ENVIRONMENT, "CLAUDE_PROJECT_DIR": cwd},
            stdin=asked,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )
        try:
            note = _wait(process, began + hook.seconds, (output, errors), cancel)
        finally:
            if process.returncode is None:
                end_group(process)
        code = None if note else process.returncode
        took = round(time.monotonic() - began, 3)
        said, complained = _text(output), _text(errors)
    return HookRun(hook.event, hook.command, str(hook.origin), hook.file, code, said, complained, took, note)


def _wait(process: subprocess.Popen[bytes], deadline: float, files: Sequence[IO[bytes]], cancel: CancelToken) -> str:
    """Why it has to be ended; empty if it has ended by itself."""
    while True:
        cancel.check()
        try:
            process.wait(TICK)
        except subprocess.TimeoutExpired:
            if time.monotonic() > deadline:
                return "its time was up"
            if any(os.fstat(file.fileno()).st_size > MOST_BYTES for file in files):
                return f"it wrote more than {words.size(MOST_BYTES)}"
        else:
            return ""


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    text = file.read(4 * MOST_TEXT + 4).decode(errors="replace").replace("\0", "\ufffd")
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}…"


def _object(output: str) -> Mapping[str, Any] | None:
    """What a hook says in JSON instead of plain words."""
    if not output.lstrip().startswith("{"):
        return None
    try:
        said = json.loads(output)
    except ValueError:
        return None
    return said if isinstance(said, dict) else None


def _block(one: HookRun, said: Mapping[str, Any] | None) -> str | None:
    if one.exit == BLOCKS:
        return one.errors.strip()
    if one.exit == 0 and said is not None and (said.get("decision") == "block" or said.get("continue") is False):
        return str(said.get("reason") or said.get("stopReason") or "")
    return None


def _context(said: Mapping[str, Any]) -> str:
    specific = said.get("hookSpecificOutput")
    text = specific.get("additionalContext") if isinstance(specific, dict) else None
    return text if isinstance(text, str) else ""
