"""What is known of where a summary comes from: per sentence its sources, per message the sentences that hold it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from compaction.trail.engine.attribution.summary import Section


class Why(StrEnum):
    """By what a sentence was traced to a message, the surest first."""

    QUOTE = "quotes it"
    FILE = "names the same file"
    CODE = "has the same code"
    WORDS = "shares rare words"


@dataclass(frozen=True, slots=True)
class Source:
    """A message that a sentence can be traced to."""

    uuid: str
    why: Why
    words: tuple[str, ...] = ()
    """What both have in common, as far as it fits into a line."""
    position: int | None = None
    """Where the record of the message stands."""

    @property
    def reason(self) -> str:
        shared = ", ".join(self.words)
        return f"{self.why}: {shared}" if shared else str(self.why)


@dataclass(frozen=True)
class Attribution:
    sections: tuple[Section, ...] = ()
    found: Mapping[int, tuple[Source, ...]] = field(default_factory=dict)
    """By the number of the sentence, the best first. A sentence that is not in it cannot be told."""

    def links(self, number: int) -> tuple[Source, ...]:
        return self.found.get(number, ())

    def sources(self, number: int) -> tuple[str, ...]:
        """The uuids of the messages that a sentence comes from, the best first."""
        return tuple(source.uuid for source in self.links(number))

    def sentences_of(self, uuid: str) -> tuple[int, ...]:
        """The sentences that a message went into, as far as it can be told."""
        return self._by_message.get(uuid, ())

    @cached_property
    def _by_message(self) -> dict[str, tuple[int, ...]]:
        numbers: dict[str, list[int]] = {}
        for number in sorted(self.found):
            for source in self.found[number]:
                numbers.setdefault(source.uuid, []).append(number)
        return {uuid: tuple(found) for uuid, found in numbers.items()}
