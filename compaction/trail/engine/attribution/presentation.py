"""A summary as a page shows it: by section, each sentence with what leads back to its sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from compaction.trail.engine.attribution.attribution import Attribution, Source, Why
from compaction.trail.engine.attribution.sentences import Form, Sentence
from compaction.trail.engine.attribution.summary import DRAFT, Section
from sessions.text.engine.prose import Html, render
from sessions.transcripts.engine.messages import Message, MessageKind

FEW = 3
"""Sources that show at once; the others when somebody asks."""

_WHO = {
    MessageKind.PROMPT: "you",
    MessageKind.ANSWER: "answer",
    MessageKind.RESULT: "result",
    MessageKind.INJECTED: "attached",
    MessageKind.SUMMARY: "earlier summary",
}


@dataclass(frozen=True, slots=True)
class ShownSource:
    source: Source
    who: str

    @property
    def address(self) -> str:
        """The last part of the entry's permalink; empty for what no record holds."""
        if self.source.position is None:
            return ""
        return self.source.uuid or f"L{self.source.position}"


@dataclass(frozen=True, slots=True)
class Group:
    why: Why
    sources: tuple[ShownSource, ...]

    @property
    def first(self) -> tuple[ShownSource, ...]:
        return self.sources[:FEW]

    @property
    def more(self) -> tuple[ShownSource, ...]:
        return self.sources[FEW:]


@dataclass(frozen=True, slots=True)
class ShownSentence:
    sentence: Sentence
    sources: tuple[ShownSource, ...]

    @property
    def html(self) -> Html:
        text = self.sentence.text
        return render(f"> {text}".replace("\n", "\n> ") if self.sentence.form is Form.QUOTE else text)

    @property
    def groups(self) -> list[Group]:
        """The sources by what they were found by, the surest first."""
        found: dict[Why, list[ShownSource]] = {}
        for one in self.sources:
            found.setdefault(one.source.why, []).append(one)
        return [Group(why, tuple(found[why])) for why in Why if why in found]


@dataclass(frozen=True, slots=True)
class ShownSection:
    section: Section
    sentences: tuple[ShownSentence, ...]

    @property
    def folded(self) -> bool:
        """Nobody needs to read it first: words of the client, and the draft that some versions leave in."""
        return self.section.frame or self.section.title == DRAFT

    @property
    def traced(self) -> int:
        return sum(bool(one.sources) for one in self.sentences)


@dataclass(frozen=True, slots=True)
class ShownSummary:
    sections: tuple[ShownSection, ...]

    @property
    def sentences(self) -> int:
        return sum(len(one.sentences) for one in self.sections if not one.section.frame)

    @property
    def traced(self) -> int:
        return sum(one.traced for one in self.sections)


def shown(attribution: Attribution, messages: Sequence[Message]) -> ShownSummary:
    """The summary must have been masked: what it holds is shown as it is."""
    known = {message.uuid: message for message in messages}
    return ShownSummary(
        tuple(
            ShownSection(
                section, tuple(_sentence(one, attribution.links(one.number), known) for one in section.sentences)
            )
            for section in attribution.sections
        )
    )


def _sentence(sentence: Sentence, sources: Sequence[Source], known: Mapping[str, Message]) -> ShownSentence:
    return ShownSentence(sentence, tuple(ShownSource(one, _who(known[one.uuid])) for one in sources))


def _who(message: Message) -> str:
    """The tool that an answer called says more than that it is one."""
    calls = [str(block.get("name")) for block in message.content if block.get("type") == "tool_use"]
    return calls[0].rpartition("__")[2][:24] if calls else _WHO[message.kind]
