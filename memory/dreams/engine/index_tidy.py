"""Tidies the index: every line points to something, every topic has a line, and all of it is loaded.

Nothing that leaves the index is lost: the rest of a long line goes into its topic, and lines beyond the limits go into
a new topic."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from memory.files.engine.reading.directory import MemoryDirectory
from memory.files.engine.reading.edits import with_line_added
from memory.files.engine.reading.file import INDEX_NAME, RECOVERED, FileKind, MemoryFile, parse_file
from memory.files.engine.reading.index import EMPTY_INDEX_FILE, IndexLine, format_entry, read_index
from memory.files.engine.reading.loaded_text import LONGEST_ENTRY, MOST_BYTES, MOST_LINES, LoadedText
from memory.files.engine.reading.text import split_lines, strip_line_end
from memory.lint.engine.rules.limits import shorten_line
from memory.lint.engine.rules.pointers import format_pointer
from memory.proposals.engine.facts import Fact, carries, facts_of_file, says
from memory.proposals.engine.facts.comparison import LineIndex
from memory.proposals.engine.facts.fact import key_of

OVERFLOW = "more-topics.md"
"""Holds the lines that do not fit."""
_OVERFLOW_HEAD = """---
name: more topics
description: Lines of the index that did not fit into what is loaded; look here when nothing else fits
type: reference
---

"""
_RECOVERED_HEAD = """---
name: recovered from the index
description: Lines of the index whose files are not there any more; their words are all that is left of them
type: reference
---

"""
_NAMED = 5
_PLAIN = re.compile(r"[^a-z0-9]+")


@dataclass(slots=True)
class IndexChanges:
    files: dict[str, bytes] = field(default_factory=dict)
    """What changes, by name."""
    reasons: dict[str, list[str]] = field(default_factory=dict)

    def add_reason(self, name: str, reason: str) -> None:
        self.reasons.setdefault(name, []).append(reason)


def tidy_index(directory: MemoryDirectory, merged: Mapping[str, str]) -> IndexChanges:
    """`merged`: topics that were merged away, each with the topic that took its text."""
    work = _IndexTidier(directory, merged)
    if INDEX_NAME in directory.by_name and not directory.by_name[INDEX_NAME].is_whole:
        return work.changes
    work.fix_pointers()
    work.drop_dangling()
    work.drop_repeated()
    work.shorten()
    work.add_orphans()
    work.fit_limits()
    return work.finish()


class _IndexTidier:
    def __init__(self, directory: MemoryDirectory, merged: Mapping[str, str]) -> None:
        self.directory = directory
        self.merged = merged
        self.index: MemoryFile = directory.by_name.get(INDEX_NAME, EMPTY_INDEX_FILE)
        self.topics = {topic.name: topic for topic in directory.topics}
        self.lines = [(line, "") for line in directory.index.lines]
        """Each with the text that takes its place; empty: its own."""
        self.ends = split_lines(self.index.source.text)
        self.added: list[str] = []
        self.changes = IndexChanges()

    # --- pointers -------------------------------------------------------------------------------------------------
    def fix_pointers(self) -> None:
        """Points to the topic that another was merged into, or to the topic that a differently spelled name means."""
        names = {
            _normalise_name(file.name): file.name for file in self.directory.files if file.kind is not FileKind.INDEX
        }
        repaired: list[str] = []
        for index, (line, _) in enumerate(self.lines):
            text = line.text
            for entry in line.entries:
                if not entry.target.endswith(".md") or entry.target in self.directory.by_name:
                    continue
                new_target = self.merged.get(entry.target) or names.get(_normalise_name(entry.target), "")
                if new_target:
                    text = text.replace(f"({entry.written})", f"({new_target})")
                    if entry.target not in self.merged:
                        repaired.append(f"{entry.target} → {new_target}")
            if text != line.text:
                self._replace_line(index, text)
        self._add_reason("Points to what was meant", repaired)

    def drop_dangling(self) -> None:
        """Removes pointers to missing files, but keeps their words, which may be all that is left of such a file."""
        dangling = [index for index, (line, _) in enumerate(self.lines) if self._is_dangling(line)]
        line_index = LineIndex(
            fact
            for fact in self._current_facts()
            if fact.line not in {self.lines[index][0].number for index in dangling}
        )
        seen_keys: set[str] = set()
        recovered: list[str] = []
        for index in dangling:
            text = strip_line_end(self._line_text(index))
            key = key_of(text)
            if key not in seen_keys and line_index.find_line_saying(key) is None:
                recovered.append(text)
            seen_keys.add(key)
        if recovered:
            self._recover(recovered)
        self._add_reason(
            "Takes out pointers to files that are not there", [self._line_target(index) for index in dangling]
        )
        self._remove_lines(dangling)

    def _is_dangling(self, line: IndexLine) -> bool:
        if len(line.entries) != 1:
            return False
        target = line.entries[0].target
        return target.endswith(".md") and target not in self.directory.by_name and target != RECOVERED

    def _current_facts(self) -> Iterator[Fact]:
        """The facts of all files and of the current index. Facts of other files have no line number, so that none is
        skipped."""
        for file in self.directory.files:
            if file.name != INDEX_NAME:
                yield from (fact._replace(line=0) for fact in facts_of_file(file.name, file.data))
        for index, (line, _) in enumerate(self.lines):
            text = strip_line_end(self._line_text(index))
            yield Fact(INDEX_NAME, line.number, text, key_of(text))

    def _recover(self, lines: list[str]) -> None:
        """Puts the lines unchanged into a new topic."""
        data = self._append_lines(RECOVERED, _RECOVERED_HEAD, lines)
        counted = "the line" if len(lines) == 1 else f"{len(lines):,} lines"
        self.changes.add_reason(RECOVERED, f"Keeps {counted} of the index that pointed to files which are not there.")
        self.topics[RECOVERED] = parse_file(RECOVERED, data, mtime_ns=self.index.mtime_ns)

    def drop_repeated(self) -> None:
        """Removes a second line for the same topic, and moves its words into the topic."""
        seen_targets: set[str] = set()
        repeated: list[int] = []
        for index, (line, _) in enumerate(self.lines):
            targets = [entry.target for entry in line.entries if entry.target]
            if (
                len(targets) == 1
                and targets[0] in seen_targets
                and targets[0] in self.topics
                and self._keep_line(index)
            ):
                repeated.append(index)
            seen_targets.update(targets)
        self._add_reason("Takes out second lines for the same topic", [self._line_target(index) for index in repeated])
        self._remove_lines(repeated)

    def _keep_line(self, index: int) -> bool:
        """Puts the words of a second line into its topic, unless the topic or the first line already has them. False if
        that is impossible."""
        text = strip_line_end(self._line_text(index))
        topic = self.topics[self._line_target(index)]
        earlier = (number for number, (line, _) in enumerate(self.lines) if number < index and line.entries)
        earlier_keys = [
            key_of(strip_line_end(self._line_text(number)))
            for number in earlier
            if self._line_target(number) == topic.name
        ]
        line_index = LineIndex(facts_of_file(topic.name, topic.data))
        key = key_of(text)
        if (
            key in earlier_keys
            or line_index.find_line_saying(key) is not None
            or any(says(earlier_key, key) for earlier_key in earlier_keys)
        ):
            return True
        if not topic.is_whole:
            return False
        entry = self.lines[index][0].entries[0]
        title, hook = entry.title, entry.hook
        title_is_known = line_index.find_line_saying(key_of(title)) is not None or any(
            says(earlier_key, key_of(title)) for earlier_key in earlier_keys
        )
        # Words that stand elsewhere as they are would not count as this line's.
        hook_is_enough = hook and title_is_known and key_of(hook) not in self._first_keys
        self._add_line(topic, hook if hook_is_enough else f"{title}: {hook}" if hook else title)
        return True

    def shorten(self) -> None:
        shortened: list[str] = []
        for index, (line, _) in enumerate(self.lines):
            if len(line.text) <= LONGEST_ENTRY or len(line.entries) != 1 or line.entries[0].target not in self.topics:
                continue
            if (shorter := shorten_line(line, line.entries[0])) and self.topics[line.entries[0].target].is_whole:
                self._keep_hook(line)
                self._replace_line(index, shorter)
                shortened.append(line.entries[0].target)
        self._add_reason("Shortens long lines; what they said stands in the topic", shortened)

    def add_orphans(self) -> None:
        targets = {entry.target for line, _ in self.lines for entry in line.entries}
        if OVERFLOW in self.topics:
            targets |= {link.target for link in self.topics[OVERFLOW].links}
        orphans = [topic for name, topic in self.topics.items() if name not in targets]
        if not self.index.data and orphans:
            self.added = ["# Memory", ""]
        self.added += [format_pointer(topic) for topic in orphans]
        self._add_reason("Adds topics that nothing pointed to", [topic.name for topic in orphans])

    # --- limits ---------------------------------------------------------------------------------------------------
    def fit_limits(self) -> None:
        if not self._read_loaded(self._index_text()).warning:
            return
        blank = [index for index, (line, _) in enumerate(self.lines) if not line.text.strip()]
        if blank:
            self._remove_lines(blank)
            self.changes.add_reason(INDEX_NAME, "Takes out blank lines, which count as well.")
        pointer = format_entry("More topics", OVERFLOW, "lines of the index that did not fit")
        max_lines, max_bytes = MOST_LINES - 1, MOST_BYTES - len(pointer.encode()) - 2
        texts = [
            *(self._line_text(index) for index in range(len(self.lines))),
            *(f"{line}{self._end}" for line in self.added),
        ]
        sizes = [len(text.encode("utf-8", "surrogateescape")) for text in texts]
        count, total = len(texts), sum(sizes)
        removed: set[int] = set()
        for index in self._removal_order(texts):
            if count <= max_lines and total <= max_bytes:
                break
            removed.add(index)
            count, total = count - 1, total - sizes[index]
        if removed:
            self._move_to_overflow([strip_line_end(texts[index]) for index in sorted(removed)], pointer)
            line_count = len(self.lines)
            self.added = [line for index, line in enumerate(self.added, start=line_count) if index not in removed]
            self._remove_lines([index for index in removed if index < line_count])
            if pointer not in self.added and not any(
                OVERFLOW in self._line_text(index) for index in range(len(self.lines))
            ):
                self.added.append(pointer)

    def _removal_order(self, texts: list[str]) -> list[int]:
        """First pointers to the topics that were changed longest ago, then the last lines."""
        changed: dict[int, float] = {}
        for index, line in enumerate(
            read_index(parse_file(INDEX_NAME, "".join(texts).encode("utf-8", "replace"))).lines
        ):
            names = [entry.target for entry in line.entries if entry.target in self.topics]
            if names and OVERFLOW not in names:
                changed[index] = max(self.topics[name].modified_at.timestamp() for name in names)
        oldest = sorted(changed, key=lambda index: (changed[index], -index))
        rest = [
            index for index in range(len(texts) - 1, -1, -1) if index not in changed and OVERFLOW not in texts[index]
        ]
        return [*oldest, *rest]

    def _move_to_overflow(self, lines: list[str], pointer: str) -> None:
        self._append_lines(OVERFLOW, _OVERFLOW_HEAD, lines)
        self.changes.add_reason(OVERFLOW, f"Takes {len(lines):,} lines of the index, which were beyond what is loaded.")
        self.changes.add_reason(
            INDEX_NAME, f"Moves {len(lines):,} lines to {OVERFLOW}, so that all of the index is loaded."
        )

    def _append_lines(self, name: str, head: str, lines: list[str]) -> bytes:
        """Appends lines to a topic, which need not exist."""
        topic = self.topics.get(name)
        old = topic.source.text if topic else head
        gap = "" if old.endswith("\n") else "\n"
        text = f"{old}{gap}" + "".join(f"{line}\n" for line in lines)
        self.changes.files[name] = topic.source.encode(text) if topic else text.encode("utf-8", "surrogateescape")
        return self.changes.files[name]

    # --- lines ----------------------------------------------------------------------------------------------------
    @cached_property
    def _first_keys(self) -> frozenset[str]:
        """Of all facts, before anything was changed."""
        return frozenset(fact.key for file in self.directory.files for fact in facts_of_file(file.name, file.data))

    @property
    def _end(self) -> str:
        return self.index.source.line_end

    def _line_text(self, index: int) -> str:
        """The line with its end."""
        line, text = self.lines[index]
        old = self.ends[line.number - 1] if line.number <= len(self.ends) else self._end
        end = old[len(strip_line_end(old)) :] or self._end
        return f"{text}{end}" if text else f"{strip_line_end(old)}{end}"

    def _index_text(self) -> str:
        lines = [self._line_text(index) for index in range(len(self.lines))]
        return "".join([*lines, *(f"{line}{self._end}" for line in self.added)])

    def _read_loaded(self, text: str) -> LoadedText:
        return read_index(parse_file(INDEX_NAME, self.index.source.encode(text))).loaded

    def _replace_line(self, index: int, text: str) -> None:
        line = self.lines[index][0]
        reread = read_index(parse_file(INDEX_NAME, text.encode("utf-8", "surrogateescape"))).lines
        entries = reread[0].entries if reread else ()
        self.lines[index] = (IndexLine(line.number, text, entries, line.fate), text)

    def _remove_lines(self, indexes: Iterable[int]) -> None:
        dropped = set(indexes)
        self.lines = [line for index, line in enumerate(self.lines) if index not in dropped]

    def _line_target(self, index: int) -> str:
        return self.lines[index][0].entries[0].target

    def _keep_hook(self, line: IndexLine) -> None:
        """Puts the words of a line into its topic, unless that already has them."""
        entry = line.entries[0]
        topic = self.topics[entry.target]
        if entry.hook and _PLAIN.sub(" ", entry.hook.lower()) not in _PLAIN.sub(" ", topic.text.lower()):
            # A date or a number in the title belongs to the fact, which would be incomplete without it.
            is_complete = carries(key_of(entry.hook), key_of(line.text))
            self._add_line(topic, entry.hook if is_complete else f"{entry.title}: {entry.hook}")

    def _add_line(self, topic: MemoryFile, text: str) -> None:
        data = with_line_added(topic, f"{topic.source.line_end}{text}")
        self.changes.files[topic.name] = data
        self.changes.add_reason(topic.name, "Takes what its line in the index said.")
        self.topics[topic.name] = parse_file(topic.name, data, mtime_ns=topic.mtime_ns)

    def _add_reason(self, action: str, names: list[str]) -> None:
        if names:
            more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
            self.changes.add_reason(INDEX_NAME, f"{action}: {', '.join(names[:_NAMED])}{more}.")

    def finish(self) -> IndexChanges:
        text = self._index_text()
        changed = self.added or len(self.lines) < len(self.directory.index.lines) or any(new for _, new in self.lines)
        if changed:
            self.changes.files[INDEX_NAME] = self.index.source.encode(text)
        return self.changes


def _normalise_name(name: str) -> str:
    """Names that a person would take for the same."""
    return _PLAIN.sub("-", name.lower().removesuffix(".md")).strip("-")
