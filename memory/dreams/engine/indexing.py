"""The index, put in order: every line points to something, every topic is pointed to, and all of it is loaded.

What leaves the index goes somewhere else: the rest of a long line into its topic, and lines beyond the limits into a
topic of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from memory.files.engine.reading.directory import MemoryDirectory
from memory.files.engine.reading.edits import with_line_added
from memory.files.engine.reading.file import (
    INDEX_NAME,
    RECOVERED,
    FileKind,
    MemoryFile,
    parse_file,
)
from memory.files.engine.reading.index import (
    EMPTY_INDEX_FILE,
    IndexLine,
    format_entry,
    read_index,
)
from memory.files.engine.reading.loaded_text import (
    LONGEST_ENTRY,
    MOST_BYTES,
    MOST_LINES,
    LoadedText,
)
from memory.files.engine.reading.text import split_lines, strip_line_end
from memory.lint.engine.rules.limits import shorten_line
from memory.lint.engine.rules.pointers import format_pointer
from memory.proposals.engine.facts import (
    Fact,
    carries,
    facts_of_file,
    says,
)
from memory.proposals.engine.facts.comparing import Places
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
class Indexed:
    files: dict[str, bytes] = field(default_factory=dict)
    """What changes, by name."""
    reasons: dict[str, list[str]] = field(default_factory=dict)

    def say(self, name: str, reason: str) -> None:
        self.reasons.setdefault(name, []).append(reason)


def put_in_order(directory: MemoryDirectory, gone: Mapping[str, str]) -> Indexed:
    """`gone`: topics that were merged, with the ones that they went into."""
    work = _Work(directory, gone)
    if INDEX_NAME in directory.by_name and not directory.by_name[INDEX_NAME].is_whole:
        return work.made
    work.repoint()
    work.drop_dangling()
    work.drop_repeated()
    work.shorten()
    work.add_orphans()
    work.fit()
    return work.finish()


class _Work:
    def __init__(self, directory: MemoryDirectory, gone: Mapping[str, str]) -> None:
        self.directory = directory
        self.gone = gone
        self.index: MemoryFile = directory.by_name.get(INDEX_NAME, EMPTY_INDEX_FILE)
        self.topics = {topic.name: topic for topic in directory.topics}
        self.lines = [(line, "") for line in directory.index.lines]
        """Each with the text that takes its place; empty: its own."""
        self.ends = split_lines(self.index.source.text)
        self.added: list[str] = []
        self.made = Indexed()

    # --- pointers -------------------------------------------------------------------------------------------------
    def repoint(self) -> None:
        """To what a topic was merged into, or to what is meant where the name is only written otherwise."""
        alike = {_alike(file.name): file.name for file in self.directory.files if file.kind is not FileKind.INDEX}
        repaired: list[str] = []
        for at, (line, _) in enumerate(self.lines):
            text = line.text
            for entry in line.entries:
                if not entry.target.endswith(".md") or entry.target in self.directory.by_name:
                    continue
                to = self.gone.get(entry.target) or alike.get(_alike(entry.target), "")
                if to:
                    text = text.replace(f"({entry.written})", f"({to})")
                    if entry.target not in self.gone:
                        repaired.append(f"{entry.target} → {to}")
            if text != line.text:
                self._put(at, text)
        self._say("Points to what was meant", repaired)

    def drop_dangling(self) -> None:
        """A pointer to a file that is not there goes; its words may be all that is left of that file, and stay."""
        dangling = [at for at, (line, _) in enumerate(self.lines) if self._is_dangling(line)]
        places = Places(
            fact for fact in self._facts() if fact.line not in {self.lines[at][0].number for at in dangling}
        )
        known: set[str] = set()
        recovered: list[str] = []
        for at in dangling:
            text = strip_line_end(self._own(at))
            key = key_of(text)
            if key not in known and places.saying(key) is None:
                recovered.append(text)
            known.add(key)
        if recovered:
            self._recover(recovered)
        self._say("Takes out pointers to files that are not there", [self._target(at) for at in dangling])
        self._drop(dangling)

    def _is_dangling(self, line: IndexLine) -> bool:
        if len(line.entries) != 1:
            return False
        target = line.entries[0].target
        return target.endswith(".md") and target not in self.directory.by_name and target != RECOVERED

    def _facts(self) -> Iterator[Fact]:
        """Of all files, the index as it is by now; those of other files have no line, so that none is left out."""
        for file in self.directory.files:
            if file.name != INDEX_NAME:
                yield from (fact._replace(line=0) for fact in facts_of_file(file.name, file.data))
        for at, (line, _) in enumerate(self.lines):
            text = strip_line_end(self._own(at))
            yield Fact(INDEX_NAME, line.number, text, key_of(text))

    def _recover(self, lines: list[str]) -> None:
        """Into a topic of their own, as they were."""
        data = self._appended(RECOVERED, _RECOVERED_HEAD, lines)
        counted = "the line" if len(lines) == 1 else f"{len(lines):,} lines"
        self.made.say(RECOVERED, f"Keeps {counted} of the index that pointed to files which are not there.")
        self.topics[RECOVERED] = parse_file(RECOVERED, data, mtime_ns=self.index.mtime_ns)

    def drop_repeated(self) -> None:
        """A second line for the same topic goes; what it says goes into the topic."""
        seen: set[str] = set()
        repeated: list[int] = []
        for at, (line, _) in enumerate(self.lines):
            targets = [entry.target for entry in line.entries if entry.target]
            if len(targets) == 1 and targets[0] in seen and targets[0] in self.topics and self._keep_line(at):
                repeated.append(at)
            seen.update(targets)
        self._say("Takes out second lines for the same topic", [self._target(at) for at in repeated])
        self._drop(repeated)

    def _keep_line(self, at: int) -> bool:
        """What a second line says, in its topic, unless that or the line before says so already. False if it cannot."""
        text = strip_line_end(self._own(at))
        topic = self.topics[self._target(at)]
        others = (one for one, (line, _) in enumerate(self.lines) if one < at and line.entries)
        before = [key_of(strip_line_end(self._own(one))) for one in others if self._target(one) == topic.name]
        places = Places(facts_of_file(topic.name, topic.data))
        key = key_of(text)
        if key in before or places.saying(key) is not None or any(says(one, key) for one in before):
            return True
        if not topic.is_whole:
            return False
        entry = self.lines[at][0].entries[0]
        title, hook = entry.title, entry.hook
        told = places.saying(key_of(title)) is not None or any(says(one, key_of(title)) for one in before)
        self._add_line(topic, hook if hook and told else f"{title}: {hook}" if hook else title)
        return True

    def shorten(self) -> None:
        shortened: list[str] = []
        for at, (line, _) in enumerate(self.lines):
            if len(line.text) <= LONGEST_ENTRY or len(line.entries) != 1 or line.entries[0].target not in self.topics:
                continue
            if (shorter := shorten_line(line, line.entries[0])) and self.topics[line.entries[0].target].is_whole:
                self._keep_hook(line)
                self._put(at, shorter)
                shortened.append(line.entries[0].target)
        self._say("Shortens long lines; what they said stands in the topic", shortened)

    def add_orphans(self) -> None:
        pointed = {entry.target for line, _ in self.lines for entry in line.entries}
        if OVERFLOW in self.topics:
            pointed |= {link.target for link in self.topics[OVERFLOW].links}
        orphans = [topic for name, topic in self.topics.items() if name not in pointed]
        if not self.index.data and orphans:
            self.added = ["# Memory", ""]
        self.added += [format_pointer(topic) for topic in orphans]
        self._say("Adds topics that nothing pointed to", [topic.name for topic in orphans])

    # --- limits ---------------------------------------------------------------------------------------------------
    def fit(self) -> None:
        if not self._loaded(self._text()).warning:
            return
        blank = [at for at, (line, _) in enumerate(self.lines) if not line.text.strip()]
        if blank:
            self._drop(blank)
            self.made.say(INDEX_NAME, "Takes out blank lines, which count as well.")
        pointer = format_entry("More topics", OVERFLOW, "lines of the index that did not fit")
        room_lines, room_bytes = MOST_LINES - 1, MOST_BYTES - len(pointer.encode()) - 2
        texts = [*(self._own(at) for at in range(len(self.lines))), *(f"{one}{self._end}" for one in self.added)]
        sizes = [len(text.encode("utf-8", "surrogateescape")) for text in texts]
        count, total = len(texts), sum(sizes)
        leaving: set[int] = set()
        for at in self._first_to_go(texts):
            if count <= room_lines and total <= room_bytes:
                break
            leaving.add(at)
            count, total = count - 1, total - sizes[at]
        if leaving:
            self._overflow([strip_line_end(texts[at]) for at in sorted(leaving)], pointer)
            known = len(self.lines)
            self.added = [one for at, one in enumerate(self.added, start=known) if at not in leaving]
            self._drop([at for at in leaving if at < known])
            if pointer not in self.added and not any(OVERFLOW in self._own(at) for at in range(len(self.lines))):
                self.added.append(pointer)

    def _first_to_go(self, texts: list[str]) -> list[int]:
        """Pointers to what was changed longest ago, and then whatever stands last."""
        changed: dict[int, float] = {}
        for at, line in enumerate(read_index(parse_file(INDEX_NAME, "".join(texts).encode("utf-8", "replace"))).lines):
            names = [entry.target for entry in line.entries if entry.target in self.topics]
            if names and OVERFLOW not in names:
                changed[at] = max(self.topics[name].modified_at.timestamp() for name in names)
        oldest = sorted(changed, key=lambda at: (changed[at], -at))
        rest = [at for at in range(len(texts) - 1, -1, -1) if at not in changed and OVERFLOW not in texts[at]]
        return [*oldest, *rest]

    def _overflow(self, lines: list[str], pointer: str) -> None:
        self._appended(OVERFLOW, _OVERFLOW_HEAD, lines)
        self.made.say(OVERFLOW, f"Takes {len(lines):,} lines of the index, which were beyond what is loaded.")
        self.made.say(INDEX_NAME, f"Moves {len(lines):,} lines to {OVERFLOW}, so that all of the index is loaded.")

    def _appended(self, name: str, head: str, lines: list[str]) -> bytes:
        """Lines at the end of a topic, which need not be there."""
        there = self.topics.get(name)
        old = there.source.text if there else head
        gap = "" if old.endswith("\n") else "\n"
        text = f"{old}{gap}" + "".join(f"{line}\n" for line in lines)
        self.made.files[name] = there.source.encode(text) if there else text.encode("utf-8", "surrogateescape")
        return self.made.files[name]

    # --- lines ----------------------------------------------------------------------------------------------------
    @property
    def _end(self) -> str:
        return self.index.source.line_end

    def _own(self, at: int) -> str:
        """The line with its end."""
        line, text = self.lines[at]
        old = self.ends[line.number - 1] if line.number <= len(self.ends) else self._end
        end = old[len(strip_line_end(old)) :] or self._end
        return f"{text}{end}" if text else f"{strip_line_end(old)}{end}"

    def _text(self) -> str:
        kept = [self._own(at) for at in range(len(self.lines))]
        return "".join([*kept, *(f"{line}{self._end}" for line in self.added)])

    def _loaded(self, text: str) -> LoadedText:
        return read_index(parse_file(INDEX_NAME, self.index.source.encode(text))).loaded

    def _put(self, at: int, text: str) -> None:
        line = self.lines[at][0]
        again = read_index(parse_file(INDEX_NAME, text.encode("utf-8", "surrogateescape"))).lines
        entries = again[0].entries if again else ()
        self.lines[at] = (IndexLine(line.number, text, entries, line.fate), text)

    def _drop(self, places: Iterable[int]) -> None:
        dropped = set(places)
        self.lines = [line for at, line in enumerate(self.lines) if at not in dropped]

    def _target(self, at: int) -> str:
        return self.lines[at][0].entries[0].target

    def _keep_hook(self, line: IndexLine) -> None:
        """What a line says, in its topic, unless that says so already."""
        entry = line.entries[0]
        topic = self.topics[entry.target]
        if entry.hook and _PLAIN.sub(" ", entry.hook.lower()) not in _PLAIN.sub(" ", topic.text.lower()):
            # A date or a number in the title belongs to what is said: without it the fact would not be whole.
            whole = carries(key_of(entry.hook), key_of(line.text))
            self._add_line(topic, entry.hook if whole else f"{entry.title}: {entry.hook}")

    def _add_line(self, topic: MemoryFile, text: str) -> None:
        data = with_line_added(topic, f"{topic.source.line_end}{text}")
        self.made.files[topic.name] = data
        self.made.say(topic.name, "Takes what its line in the index said.")
        self.topics[topic.name] = parse_file(topic.name, data, mtime_ns=topic.mtime_ns)

    def _say(self, what: str, names: list[str]) -> None:
        if names:
            more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
            self.made.say(INDEX_NAME, f"{what}: {', '.join(names[:_NAMED])}{more}.")

    def finish(self) -> Indexed:
        text = self._text()
        changed = self.added or len(self.lines) < len(self.directory.index.lines) or any(new for _, new in self.lines)
        if changed:
            self.made.files[INDEX_NAME] = self.index.source.encode(text)
        return self.made


def _alike(name: str) -> str:
    """Names that a person would take for the same."""
    return _PLAIN.sub("-", name.lower().removesuffix(".md")).strip("-")
