"""Tidy: the part of a dream that needs no model. The same files always give the same result, and a second tidy changes
nothing.

Topics with the same content are merged, relative dates get their day, and the index is tidied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from memory.dreams.engine.index_tidy import OVERFLOW, tidy_index
from memory.files.engine.reading.directory import MemoryDirectory
from memory.files.engine.reading.edits import with_field, with_line_added
from memory.files.engine.reading.file import INDEX_NAME, RECOVERED, MemoryFile, parse_file
from memory.lint.engine.rules import dates, duplicates
from memory.lint.engine.surroundings import Surroundings
from memory.proposals.engine.facts import facts_of_file, find_contradiction
from memory.proposals.engine.facts.comparison import LineIndex
from sessions.text.engine.excerpt import excerpt

MOST_ROUNDS = 5
"""What was merged, dated or moved may give cause for more of it."""
NAME = "name"
ALIASES = "aliases"
"""The field of a header that keeps what topics were called which were merged into this one."""
MOST_DATES = 200
"""In one topic."""


@dataclass(slots=True)
class TidyResult:
    changes: dict[str, bytes | None]
    """By name; None deletes a file."""
    reasons: dict[str, str] = field(default_factory=dict)
    """Why, by name."""
    kept_apart: tuple[str, ...] = ()
    """Topics that say nearly the same and may contradict each other, as sentences: they stay two."""


def tidy(directory: MemoryDirectory, surroundings: Surroundings) -> TidyResult:
    """The result of a tidy; nothing is written. Files that were not read completely stay as they are."""
    work = _Tidier(directory, replace(surroundings, instructions={}))
    for _ in range(MOST_ROUNDS):
        before = dict(work.files)
        work.merge()
        work.date()
        work.index()
        if work.files == before:
            break
    changes: dict[str, bytes | None] = dict.fromkeys(work.merged)
    changes |= {name: file.data for name, file in work.files.items() if file is not directory.by_name.get(name)}
    reasons = {name: " ".join(dict.fromkeys(sentences)) for name, sentences in work.reasons.items()}
    return TidyResult(changes, reasons, tuple(dict.fromkeys(work.kept_apart.values())))


class _Tidier:
    def __init__(self, directory: MemoryDirectory, surroundings: Surroundings) -> None:
        self.path = directory.path
        self.surroundings = surroundings
        self.files: dict[str, MemoryFile] = dict(directory.by_name)
        self.merged: dict[str, str] = {}
        """Topics that were merged, with those that they went into."""
        self.reasons: dict[str, list[str]] = {}
        self.kept_apart: dict[frozenset[str], str] = {}

    @property
    def directory(self) -> MemoryDirectory:
        return MemoryDirectory(self.path, tuple(self.files[name] for name in sorted(self.files)))

    def merge(self) -> None:
        touched: set[str] = set()
        for finding in duplicates.check(self.directory, self.surroundings):
            pair = {finding.file, *finding.others}
            if finding.fix is None or pair & touched or {OVERFLOW, RECOVERED} & pair:
                continue
            if self._keep_apart(frozenset(pair)):
                continue
            touched |= pair
            self._merge(pair, finding.fix.changes(), finding.message)

    def _keep_apart(self, pair: frozenset[str]) -> bool:
        """Whether two topics contradict each other. If so, both stay, and a person must decide."""
        first, second = sorted(pair)
        contradiction = find_contradiction(
            *([fact.key for fact in facts_of_file(name, self.files[name].data)] for name in (first, second))
        )
        if contradiction is not None:
            ours, theirs = (excerpt(line, 120) for line in contradiction)
            self.kept_apart[pair] = (
                f"{first} and {second} say nearly the same and stay two: one says “{ours}”, the other “{theirs}”."
            )
        return contradiction is not None

    def _merge(self, pair: set[str], changes: Mapping[str, bytes | None], why: str) -> None:
        (old,) = (name for name, data in changes.items() if data is None)
        (into,) = pair - {old}
        self.merged = {name: into if to == old else to for name, to in self.merged.items()} | {old: into}
        removed = self.files.pop(old)
        self._add_reason(old, f"{why} {into} stays; this text stays in the history.")
        if (data := changes.get(into)) is not None:
            self._put(into, data)
            self._add_reason(into, f"Takes what only {old} said.")
        self._keep_header(removed, into)

    def _keep_header(self, removed: MemoryFile, into: str) -> None:
        """Keeps the name of a merged topic, and the other fields of its header."""
        header = [fact for fact in facts_of_file(removed.name, removed.data) if fact.line <= removed.header.last]
        for fact in header:
            topic = self.files[into]
            if LineIndex(facts_of_file(into, topic.data)).find_line_saying(fact.key) is not None:
                continue
            key = fact.text.partition(":")[0].strip()
            value = removed.header.get(key) or fact.text
            if key in (NAME, ALIASES):
                data = with_field(
                    topic, ALIASES, ", ".join(alias for alias in (topic.header.get(ALIASES), value) if alias)
                )
            else:
                data = with_line_added(topic, f"{topic.source.line_end}{value}")
            self._put(into, data)
            self._add_reason(into, f"Takes what only the header of {removed.name} said.")

    def date(self) -> None:
        for name, topic in list(self.files.items()):
            if name in (OVERFLOW, RECOVERED):
                continue  # lines from elsewhere, whose dates do not count from the time of this file
            for _ in range(MOST_DATES):
                directory = MemoryDirectory(self.path, (self.files[name],))
                fixes = (finding for finding in dates.check(directory, self.surroundings) if finding.fix is not None)
                finding = next(fixes, None)
                if finding is None or finding.fix is None:
                    break
                changes = finding.fix.changes()
                data = changes[name]
                if data is None or data == self.files[name].data:
                    break
                self._put(name, data)
                self._add_reason(
                    name, f"Dates that depend on the day count from {topic.modified_at:%Y-%m-%d}, its last change."
                )

    def index(self) -> None:
        changes = tidy_index(self.directory, self.merged)
        for name, data in changes.files.items():
            self._put(name, data)
        for name, sentences in changes.reasons.items():
            for reason in sentences:
                self._add_reason(name, reason)
        if self.merged and INDEX_NAME in changes.files:
            self._add_reason(INDEX_NAME, "Points to the topics that stay.")

    def _put(self, name: str, data: bytes) -> None:
        """Writes a file with its time, from which its dates are counted."""
        mtime = self.files[name].mtime_ns if name in self.files else 0
        self.files[name] = parse_file(name, data, mtime_ns=mtime)

    def _add_reason(self, name: str, reason: str) -> None:
        self.reasons.setdefault(name, []).append(reason)
