"""A summary as a page shows it: by section, each sentence with its sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from compaction.trail.engine.attribution.attribution import Attribution, Source, SourceKind
from compaction.trail.engine.attribution.sentences import Sentence, SentenceForm
from compaction.trail.engine.attribution.summary import DRAFT, Section
from sessions.text.engine.prose import Html, render
from sessions.transcripts.engine.messages import Message, MessageKind

MOST_OPEN = 3
"""The number of sources that are shown at first; the others are folded away."""

_AUTHORS = {
    MessageKind.PROMPT: "you",
    MessageKind.ANSWER: "answer",
    MessageKind.RESULT: "result",
    MessageKind.INJECTED: "attached",
    MessageKind.SUMMARY: "earlier summary",
}


@dataclass(frozen=True, slots=True)
class SourceView:
    source: Source
    author: str

    @property
    def address(self) -> str:
        """The last part of the entry's permalink; empty if no record holds the message."""
        if self.source.position is None:
            return ""
        return self.source.uuid or f"L{self.source.position}"


@dataclass(frozen=True, slots=True)
class SourceGroup:
    kind: SourceKind
    sources: tuple[SourceView, ...]

    @property
    def first(self) -> tuple[SourceView, ...]:
        return self.sources[:MOST_OPEN]

    @property
    def more(self) -> tuple[SourceView, ...]:
        return self.sources[MOST_OPEN:]


@dataclass(frozen=True, slots=True)
class SentenceView:
    sentence: Sentence
    sources: tuple[SourceView, ...]

    @property
    def html(self) -> Html:
        text = self.sentence.text
        return render(f"> {text}".replace("\n", "\n> ") if self.sentence.form is SentenceForm.QUOTE else text)

    @property
    def groups(self) -> list[SourceGroup]:
        """The sources by kind of evidence, the surest first."""
        sources_by_kind: dict[SourceKind, list[SourceView]] = {}
        for source in self.sources:
            sources_by_kind.setdefault(source.source.kind, []).append(source)
        return [SourceGroup(kind, tuple(sources_by_kind[kind])) for kind in SourceKind if kind in sources_by_kind]


@dataclass(frozen=True, slots=True)
class SectionView:
    section: Section
    sentences: tuple[SentenceView, ...]

    @property
    def is_folded(self) -> bool:
        """Whether it is folded at first: words of the client, and the draft that some versions leave in."""
        return self.section.is_frame or self.section.title == DRAFT

    @property
    def traced_count(self) -> int:
        return sum(bool(sentence.sources) for sentence in self.sentences)


@dataclass(frozen=True, slots=True)
class SummaryView:
    sections: tuple[SectionView, ...]

    @property
    def sentence_count(self) -> int:
        return sum(len(section.sentences) for section in self.sections if not section.section.is_frame)

    @property
    def traced_count(self) -> int:
        return sum(section.traced_count for section in self.sections)


def summary_view(attribution: Attribution, messages: Sequence[Message]) -> SummaryView:
    """The summary must be masked already: its text is shown as it is."""
    messages_by_uuid = {message.uuid: message for message in messages}
    return SummaryView(
        tuple(
            SectionView(
                section,
                tuple(
                    _sentence_view(sentence, attribution.sources_of(sentence.number), messages_by_uuid)
                    for sentence in section.sentences
                ),
            )
            for section in attribution.sections
        )
    )


def _sentence_view(
    sentence: Sentence, sources: Sequence[Source], messages_by_uuid: Mapping[str, Message]
) -> SentenceView:
    return SentenceView(
        sentence, tuple(SourceView(source, _author(messages_by_uuid[source.uuid])) for source in sources)
    )


def _author(message: Message) -> str:
    """The name of the tool for an answer that called one, or else the kind of message."""
    calls = [str(block.get("name")) for block in message.content if block.get("type") == "tool_use"]
    return calls[0].rpartition("__")[2][:24] if calls else _AUTHORS[message.kind]
