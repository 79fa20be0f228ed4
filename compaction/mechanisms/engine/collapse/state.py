"""The decisions of context collapse: spans that are replaced permanently, and spans that may be next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any
from uuid import UUID, uuid5

from sessions.transcripts.engine.messages import Message, MessageKind, text_block

_NAMESPACE = UUID("8a0f9d0e-3a2b-4d0f-b0de-6d0c6a1d5c37")


@dataclass(frozen=True, slots=True)
class Commit:
    collapse_id: str
    summary_uuid: str
    summary: str
    first_uuid: str
    """Of the first message that it replaces."""
    last_uuid: str

    @property
    def placeholder(self) -> Message:
        """Made from the record alone, so that it always has the same bytes."""
        text = f'<collapsed-history id="{self.collapse_id}">\n{self.summary}\n</collapsed-history>'
        return Message("user", (text_block(text),), MessageKind.SUMMARY, self.summary_uuid)


@dataclass(frozen=True, slots=True)
class StagedSpan:
    """A span that may be replaced, with its summary once that is written."""

    first_uuid: str
    last_uuid: str
    tokens: int
    score: float
    summary: str = ""


@dataclass(frozen=True, slots=True)
class CollapseState:
    commits: tuple[Commit, ...] = ()
    """In the order in which they were made."""
    staged: tuple[StagedSpan, ...] = ()
    """Best first."""
    armed: bool = False
    last_spawn_tokens: int = 0
    """The size of the context when spans were last chosen."""

    def without(self, collapse_id: str) -> CollapseState:
        """Undoes a commit, and those that include its placeholder."""
        undone = {collapse_id}
        placeholders = {commit.summary_uuid for commit in self.commits if commit.collapse_id == collapse_id}
        for commit in self.commits:
            if commit.first_uuid in placeholders or commit.last_uuid in placeholders:
                undone.add(commit.collapse_id)
                placeholders.add(commit.summary_uuid)
        return replace(self, commits=tuple(commit for commit in self.commits if commit.collapse_id not in undone))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> CollapseState:
        return cls(
            tuple(Commit(**entry) for entry in saved["commits"]),
            tuple(StagedSpan(**entry) for entry in saved["staged"]),
            saved["armed"],
            saved["last_spawn_tokens"],
        )


def commit_span(span: Sequence[Message], summary: str) -> Commit:
    """The ids are derived from the span, so that the same commit is the same wherever it is made."""
    first, last = span[0].uuid, span[-1].uuid
    return Commit(
        uuid5(_NAMESPACE, f"collapse {first} {last}").hex[:16],
        str(uuid5(_NAMESPACE, f"summary {first} {last}")),
        summary,
        first,
        last,
    )
