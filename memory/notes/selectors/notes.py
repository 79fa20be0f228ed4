"""The notes of a session: where they are, who took them, whether they are due, and their history."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from django.conf import settings

from memory.files.engine.disk import digest_of
from memory.files.engine.locations import notes_paths
from memory.history.selectors.history import file_history
from memory.models import File, NotesUpdate, Version
from memory.notes.engine import (
    TEMPLATE,
    DueCheck,
    LastUpdate,
    NotesLimits,
    Section,
    check_due,
    find_overruns,
    is_empty,
    sections_of,
    update_prompt,
)
from sessions.context.engine import Context
from sessions.context.selectors.context_cache import cached_context
from sessions.context.selectors.contexts import point_next
from sessions.models import Transcript
from sessions.transcripts.engine.messages import Message
from sessions.transcripts.engine.paths import decode_path, encode_path
from sessions.usage.engine.tokens import context_tokens
from sessions.weights.engine import PromptSize
from sessions.weights.selectors import message_weights, weight_table

FILE = "summary.md"
LONGEST = 1_000_000
"""Bytes; what is larger are no notes."""
BY_LUCID = "taken by Lucid"
BY_AGENT = "taken by the agent"


@dataclass(frozen=True, slots=True)
class NotesFile:
    """An existing file with notes."""

    path: Path
    text: str
    modified: float
    """Seconds since the epoch."""
    update: NotesUpdate | None
    """Of Lucid, that made them what they are; None if somebody else did."""

    @property
    def place(self) -> str:
        return encode_path(self.path)

    @property
    def source(self) -> str:
        return BY_AGENT if self.update is None else BY_LUCID


@dataclass(frozen=True, slots=True)
class CustomTexts:
    """The user's own template and prompt; empty if there are none."""

    template: str = ""
    prompt: str = ""
    problems: tuple[str, ...] = ()


class NotesSituation:
    """A session and its notes as they are now. Everything is read once, when first needed."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript

    @cached_property
    def files(self) -> list[NotesFile]:
        """The newest first."""
        return notes_files(self.transcript)

    @property
    def newest(self) -> NotesFile | None:
        return self.files[0] if self.files else None

    @cached_property
    def customs(self) -> CustomTexts:
        return read_custom_texts()

    @property
    def template(self) -> str:
        return self.customs.template or TEMPLATE

    @property
    def text(self) -> str:
        """The notes, or the empty template."""
        return self.newest.text if self.newest and sections_of(self.newest.text) else self.template

    @property
    def is_empty(self) -> bool:
        return is_empty(self.text, self.template)

    @property
    def sections(self) -> list[Section]:
        return [section for section in sections_of(self.text) if section.title]

    @property
    def warnings(self) -> tuple[str, ...]:
        return (*self.customs.problems, *find_overruns(self.text, self.limits))

    @property
    def limits(self) -> NotesLimits:
        return NotesLimits()

    @cached_property
    def context(self) -> Context:
        return cached_context(self.transcript, point_next(self.transcript))

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        return self.context.messages

    @cached_property
    def size(self) -> PromptSize:
        """Of what would be sent next, as other pages show it."""
        return message_weights(self.context, weight_table(self.transcript)).context

    @cached_property
    def tokens(self) -> int:
        """As the client counts them, which decides when notes are due."""
        return self._count_tokens(self.messages)

    @cached_property
    def last_update(self) -> LastUpdate | None:
        """For notes by the agent, only the time of the file tells how far they go."""
        newest = self.newest
        if newest is None or is_empty(newest.text, self.template):
            return None
        if newest.update is not None:
            return LastUpdate(newest.update.tokens, newest.update.last_summarized)
        covered = [message for message in self.messages if message.at is None or message.at <= newest.modified]
        return LastUpdate(self._count_tokens(covered), covered[-1].uuid if covered else "")

    @cached_property
    def due(self) -> DueCheck:
        main = self.transcript.kind == Transcript.Kind.MAIN
        return check_due(self.messages, self.tokens, self.last_update, main=main)

    def _count_tokens(self, messages: Sequence[Message]) -> int:
        """Counts from before the last boundary do not apply to the current context."""
        start = self.context.start
        old = (
            index + 1
            for index, message in enumerate(messages)
            if message.position is not None and message.position < start
        )
        return context_tokens(messages, since=max(old, default=0))


def notes_files(transcript: Transcript) -> list[NotesFile]:
    """Lucid's own and the agent's, the newest first."""
    updates = NotesUpdate.objects.filter(transcript=transcript).select_related("version__blob", "version__directory")
    known_updates = {
        (update.version.directory.path, update.version.blob.digest): update
        for update in updates.defer("version__blob__data").order_by("pk")
        if update.version.blob is not None
    }
    files = []
    for path in (own_directory(transcript) / FILE, *agent_notes_paths(transcript)):
        with suppress(OSError):
            if path.is_symlink() or not path.is_file() or path.stat().st_size > LONGEST:
                continue
            data, modified = path.read_bytes(), path.stat().st_mtime
            update = known_updates.get((encode_path(path.parent.resolve()), digest_of(data)))
            files.append(NotesFile(path, data.decode("utf-8", "replace"), modified, update))
    return sorted(files, key=lambda file: -file.modified)


def own_directory(transcript: Transcript) -> Path:
    """The directory in which Lucid keeps its own notes."""
    return Path(settings.LUCID_HOME) / "notes" / decode_path(transcript.public_id)


def agent_notes_paths(transcript: Transcript) -> tuple[Path, Path]:
    return notes_paths(decode_path(transcript.source.path).parent, transcript.session_id)


def read_custom_texts() -> CustomTexts:
    """Reads them from where the agent looks for them too."""
    folder = Path(settings.CLAUDE_CONFIG_DIR) / "session-memory" / "config"
    texts, problems = {}, []
    for name in ("template", "prompt"):
        path = folder / f"{name}.md"
        try:
            texts[name] = path.read_text("utf-8") if path.is_file() and path.stat().st_size <= LONGEST else ""
        except (OSError, UnicodeDecodeError) as error:
            texts[name] = ""
            problems.append(f"{path} cannot be read ({type(error).__name__}), so Lucid's own {name} is taken.")
    if texts["template"] and not any(section.title for section in sections_of(texts["template"])):
        problems.append(f"{folder / 'template.md'} has no headings, so Lucid's own template is taken.")
        texts["template"] = ""
    return CustomTexts(texts["template"], texts["prompt"], tuple(problems))


@dataclass(frozen=True, slots=True)
class NotesVersion:
    """An earlier or current text of the notes."""

    version: Version
    update: NotesUpdate | None
    own: bool
    """In the home of Lucid; else where the agent keeps its notes."""


def notes_history(transcript: Transcript) -> list[NotesVersion]:
    """The versions of both files, the latest first."""
    paths = [own_directory(transcript) / FILE, *agent_notes_paths(transcript)]
    versions: list[Version] = []
    for path in paths:
        rows = File.objects.filter(directory__path=encode_path(path.parent.resolve()), name=encode_path(path.name))
        for file in rows:
            versions += file_history(file)
    updates = {update.version_id: update for update in NotesUpdate.objects.filter(transcript=transcript).order_by("pk")}
    own = encode_path(paths[0].parent.resolve())
    return [
        NotesVersion(version, updates.get(version.pk), version.directory.path == own)
        for version in sorted(versions, key=lambda version: (-version.at, -version.pk))
    ]


def notes_prompt(situation: NotesSituation, path: str, *, edits: bool = True) -> str:
    return update_prompt(
        situation.text,
        path,
        custom=situation.customs.prompt,
        warnings=situation.warnings,
        section_tokens=situation.limits.section,
        edits=edits,
    )
