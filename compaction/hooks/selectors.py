"""Finds the hooks that run around a compaction, as people have configured them for the client: which commands, and from
where.

Settings of a project come with its files, which anybody may have written, so they count only if a person allows it.
Settings beside an imported session never count."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from django.conf import settings

from compaction.hooks.engine.file_access import FileAccess, inspect_access
from sessions.models import Transcript

EVENTS = ("PreCompact", "SessionStart", "PostCompact")
"""In the order in which they run."""
STARTED = "compact"
"""What the matcher of SessionStart is compared with: why the session starts anew."""
SECONDS = 60.0
LONGEST_FILE = 1_000_000
_WORDS = re.compile(r"[A-Za-z0-9_|\s-]*")


class Origin(StrEnum):
    POLICY = "policy"
    """Of whoever manages the machine."""
    USER = "user"
    PROJECT = "project"
    LOCAL = "local"
    """Of the project too, but not shared with others."""


class Scope(StrEnum):
    """Which hooks a compaction may run."""

    OFF = "off"
    USER = "user"
    """Those of the user and of the machine."""
    ALL = "all"
    """Those of the project as well."""

    def covers(self, origin: Origin) -> bool:
        return self is Scope.ALL or (self is Scope.USER and origin in (Origin.POLICY, Origin.USER))


@dataclass(frozen=True, slots=True)
class Hook:
    event: str
    matcher: str
    command: str
    seconds: float
    """The time after which it is killed."""
    origin: Origin
    file: str
    """The settings that name it."""
    unsupported: str = ""
    """Why it cannot run here; empty if it can."""
    access: FileAccess | None = None
    """Who could have written its settings; None where that is not known."""

    @property
    def refused(self) -> str:
        """Why the hook must not run here; empty if it may."""
        if self.access is None:
            return "It is not known who could have written its settings."
        return self.access.refused

    def matches(self, word: str) -> bool:
        """Names separated by bars are compared as a whole; anything else is a regular expression."""
        if self.matcher in ("", "*"):
            return True
        if _WORDS.fullmatch(self.matcher):
            return word in [name.strip() for name in self.matcher.split("|")]
        try:
            return re.search(self.matcher, word) is not None
        except re.error:
            return False


@dataclass(frozen=True, slots=True)
class HookConfiguration:
    hooks: tuple[Hook, ...]
    problems: tuple[str, ...] = ()
    """Settings that cannot be read, as sentences."""

    @property
    def fingerprint(self) -> str:
        """Shows whether these are still the commands that a person has seen."""
        commands = [(hook.event, hook.command, str(hook.origin), hook.file) for hook in self.allowed_by(Scope.ALL)]
        return hashlib.sha256(json.dumps(commands).encode()).hexdigest()[:16]

    def allowed_by(self, scope: Scope) -> tuple[Hook, ...]:
        """The hooks that a run of this scope may run."""
        return tuple(
            hook for hook in self.hooks if scope.covers(hook.origin) and not hook.unsupported and not hook.refused
        )


def hooks_of(transcript: Transcript, trigger: str = "manual") -> HookConfiguration:
    """All that would run around a compaction of this session, each once, in order. `trigger`: manual or auto."""
    problems: list[str] = []
    files_read = client_settings(transcript, problems)
    hooks = [
        replace(hook, access=_inspect_access(file))
        for origin, file, content in _in_force(files_read)
        for hook in _hooks(content, origin, file)
    ]
    words = {"PreCompact": trigger, "PostCompact": trigger, "SessionStart": STARTED}
    matching = [hook for event in EVENTS for hook in hooks if hook.event == event and hook.matches(words[event])]
    # The client runs a command once, however often it is listed.
    once = {(hook.event, hook.command): hook for hook in reversed(matching)}
    return HookConfiguration(tuple(reversed(once.values())), tuple(problems))


def client_settings(transcript: Transcript, problems: list[str]) -> list[tuple[Origin, Path, Mapping[str, Any]]]:
    """The settings of the client that hold for this session. For what cannot be read, a sentence is added to
    `problems`."""
    return [(origin, file, _read(origin, file, problems)) for origin, file in _files(transcript)]


def _files(transcript: Transcript) -> Iterator[tuple[Origin, Path]]:
    yield Origin.POLICY, managed_settings()
    yield Origin.USER, Path(settings.CLAUDE_CONFIG_DIR) / "settings.json"
    cwd = Path(transcript.cwd)
    if transcript.cwd and cwd.is_absolute():
        yield Origin.PROJECT, cwd / ".claude" / "settings.json"
        yield Origin.LOCAL, cwd / ".claude" / "settings.local.json"


def managed_settings() -> Path:
    if sys.platform == "darwin":
        return Path("/Library/Application Support/ClaudeCode/managed-settings.json")
    return Path("/etc/claude-code/managed-settings.json")


def _inspect_access(file: Path) -> FileAccess | None:
    try:
        return inspect_access(file)
    except OSError:
        return None


def _read(origin: Origin, file: Path, problems: list[str]) -> Mapping[str, Any]:
    try:
        if not file.is_file():
            return {}
        if origin in (Origin.PROJECT, Origin.LOCAL) and not _is_inside(file, file.parent.parent):
            problems.append(f"{file} is a link to {os.path.realpath(file)}, out of the project; it is not followed.")
            return {}
        if file.stat().st_size > LONGEST_FILE:
            problems.append(f"{file} is too large for settings, so its hooks are unknown.")
            return {}
        content = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        problems.append(f"{file} cannot be read, so its hooks are unknown: {error}.")
        return {}
    return content if isinstance(content, dict) else {}


def _is_inside(file: Path, folder: Path) -> bool:
    return Path(os.path.realpath(file)).is_relative_to(os.path.realpath(folder))


def _in_force(read: Sequence[tuple[Origin, Path, Mapping[str, Any]]]) -> list[tuple[Origin, Path, Mapping[str, Any]]]:
    """The settings whose hooks are not switched off. A project cannot switch off those of others."""
    policy = next(content for origin, _, content in read if origin is Origin.POLICY)
    user = next(content for origin, _, content in read if origin is Origin.USER)
    if policy.get("disableAllHooks") is True:
        return []
    if policy.get("allowManagedHooksOnly") is True or user.get("disableAllHooks") is True:
        return [entry for entry in read if entry[0] is Origin.POLICY]
    return [entry for entry in read if entry[2].get("disableAllHooks") is not True]


def _hooks(content: Mapping[str, Any], origin: Origin, file: Path) -> Iterator[Hook]:
    events = content.get("hooks")
    for event in EVENTS:
        groups = events.get(event) if isinstance(events, dict) else None
        for group in groups if isinstance(groups, list) else ():
            entries = group.get("hooks") if isinstance(group, dict) else None
            for entry in entries if isinstance(entries, list) else ():
                if isinstance(entry, dict):
                    yield _hook(entry, event, str(group.get("matcher") or ""), origin, file)


def _hook(entry: Mapping[str, Any], event: str, matcher: str, origin: Origin, file: Path) -> Hook:
    kind, command, timeout = str(entry.get("type", "command")), entry.get("command"), entry.get("timeout")
    seconds = float(timeout) if isinstance(timeout, int | float) and timeout > 0 else SECONDS
    unsupported = ""
    if kind != "command":
        unsupported = f"Hooks of the type {kind} do not run here."
    elif not isinstance(command, str) or not command.strip():
        unsupported = "It names no command."
    text = command if isinstance(command, str) else str(entry.get("url") or entry.get("prompt") or "")
    return Hook(event, matcher, text, seconds, origin, str(file), unsupported)
