"""Runs the hooks of a compaction the way the client does: in a shell, with JSON as input."""

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
"""Characters of a hook's output that are kept."""
MOST_BYTES = 1_000_000
"""A hook that writes more is killed."""
BLOCKS = 2


class HookBlockedError(Exception):
    """A hook has refused the compaction. The text says why."""


@dataclass(frozen=True, slots=True)
class HookRun:
    """A hook that has run."""

    event: str
    command: str
    origin: str
    file: str
    exit: int | None
    """None if it was killed."""
    output: str
    errors: str
    seconds: float
    note: str = ""
    """Why it was killed."""

    @property
    def sentence(self) -> str:
        how, took = self.note or f"exit {self.exit}", words.duration(1000 * self.seconds)
        return f"{self.event} hook of the {self.origin} settings ({how}, {took}): {self.command}"

    @property
    def reply(self) -> str:
        return (self.output.strip() or self.errors).strip()


@dataclass(slots=True)
class RunningHooks:
    """The hooks of a run. The watcher is told about each, and its output is kept."""

    hooks: Sequence[Hook]
    transcript: Transcript
    watcher: Watcher = field(default_factory=SilentWatcher)
    cancel: CancelToken = field(default_factory=CancelToken)
    runs: list[HookRun] = field(default_factory=list)

    @property
    def report(self) -> list[dict[str, Any]]:
        return [asdict(run) for run in self.runs]

    def pre_compact(self, trigger: Trigger, instructions: str) -> str:
        details = {"trigger": str(trigger), "custom_instructions": instructions or None}
        texts = []
        for run in self._run("PreCompact", details):
            answer = _object(run.output)
            if (why := _block(run, answer)) is not None:
                raise HookBlockedError(f"A PreCompact hook has stopped it: {why or 'it gave no reason'}")
            if run.exit == 0:
                texts.append(_context(answer) if answer is not None else run.output)
        return "\n\n".join(text.strip() for text in texts if text.strip())

    def session_start(self) -> Sequence[str]:
        """The texts for the model, worded as the client does."""
        texts = []
        for run in self._run("SessionStart", {"source": STARTED}):
            answer = _object(run.output)
            text = (_context(answer) if answer is not None else run.output).strip()
            if run.exit == 0 and text:
                label = "hook additional context" if answer is not None else "hook success"
                texts.append(f"<system-reminder>\nSessionStart:{STARTED} {label}: {text}\n</system-reminder>")
        return texts

    def post_compact(self, trigger: Trigger, summary: str) -> Sequence[str]:
        """These hooks only watch: their output is for people."""
        for _ in self._run("PostCompact", {"trigger": str(trigger), "compact_summary": summary}):
            pass
        return ()

    def _run(self, event: str, details: Mapping[str, Any]) -> Iterator[HookRun]:
        """Runs the hooks one after the other, as the caller iterates."""
        hooks = [hook for hook in self.hooks if hook.event == event]
        if hooks:
            self.watcher.phase(f"running the {event} hooks", total=len(hooks), unit="hooks")
        for number, hook in enumerate(hooks):
            self.watcher.step(number)
            run = run_hook(hook, {**self._situation(event), **details}, self.transcript.cwd, self.cancel)
            self.runs.append(run)
            self.watcher.note(f"{run.sentence}\n\n{run.reply}".strip())
            yield run

    def _situation(self, event: str) -> dict[str, Any]:
        return {
            "session_id": self.transcript.session_id,
            "transcript_path": str(decode_path(self.transcript.source.path)),
            "cwd": self.transcript.cwd,
            "hook_event_name": event,
        }


def run_hook(hook: Hook, details: Mapping[str, Any], cwd: str, cancel: CancelToken) -> HookRun:
    """Runs a hook until it ends, its time is up, it writes too much, or the run is stopped."""
    began = time.monotonic()
    shell = shutil.which("bash") or "/bin/sh"
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        stdin.write(json.dumps(details, ensure_ascii=False).encode("utf-8", "replace"))
        stdin.seek(0)
        process = subprocess.Popen(
            [shell, "-c", hook.command],
            cwd=cwd if cwd and Path(cwd).is_dir() else Path.home(),
            env={**settings.USER_ENVIRONMENT, "CLAUDE_PROJECT_DIR": cwd},
            stdin=stdin,
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
        output_text, error_text = _text(output), _text(errors)
    return HookRun(hook.event, hook.command, str(hook.origin), hook.file, code, output_text, error_text, took, note)


def _wait(process: subprocess.Popen[bytes], deadline: float, files: Sequence[IO[bytes]], cancel: CancelToken) -> str:
    """Why it must be killed; empty if it has ended by itself."""
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
    """The answer of a hook that wrote JSON instead of plain text."""
    if not output.lstrip().startswith("{"):
        return None
    try:
        answer = json.loads(output)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def _block(run: HookRun, answer: Mapping[str, Any] | None) -> str | None:
    if run.exit == BLOCKS:
        return run.errors.strip()
    if run.exit == 0 and answer is not None and (answer.get("decision") == "block" or answer.get("continue") is False):
        return str(answer.get("reason") or answer.get("stopReason") or "")
    return None


def _context(answer: Mapping[str, Any]) -> str:
    specific = answer.get("hookSpecificOutput")
    text = specific.get("additionalContext") if isinstance(specific, dict) else None
    return text if isinstance(text, str) else ""
