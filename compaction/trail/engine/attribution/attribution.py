"""Where a summary comes from: the sources of each sentence, and the sentences that each message went into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from compaction.trail.engine.attribution.summary import Section


class SourceKind(StrEnum):
    """The evidence by which a sentence was traced to a message, the surest first."""

    QUOTE = "quotes it"
    FILE = "names the same file"
    CODE = "has the same code"
    WORDS = "shares rare words"


@dataclass(frozen=True, slots=True)
class Source:
    """A message that a sentence can be traced to."""

    uuid: str
    kind: SourceKind
    shared: tuple[str, ...] = ()
    """What both have in common, shortened to fit into a line."""
    position: int | None = None
    """The position of the message's record."""

    @property
    def reason(self) -> str:
        shared_words = ", ".join(self.shared)
        return f"{self.kind}: {shared_words}" if shared_words else str(self.kind)


@dataclass(frozen=True)
class Attribution:
    sections: tuple[Section, ...] = ()
    sources_by_sentence: Mapping[int, tuple[Source, ...]] = field(default_factory=dict)
    """By the number of the sentence, the best source first. Sentences without a known source are not in it."""

    def sources_of(self, number: int) -> tuple[Source, ...]:
        return self.sources_by_sentence.get(number, ())

    def sentences_of(self, uuid: str) -> tuple[int, ...]:
        """The sentences that a message went into, as far as known."""
        return self._by_message.get(uuid, ())

    @cached_property
    def _by_message(self) -> dict[str, tuple[int, ...]]:
        numbers: dict[str, list[int]] = {}
        for number in sorted(self.sources_by_sentence):
            for source in self.sources_by_sentence[number]:
                numbers.setdefault(source.uuid, []).append(number)
        return {uuid: tuple(sentence_numbers) for uuid, sentence_numbers in numbers.items()}
