"""Contexts that pages show again and again. One is kept together with all that it was made of, and is given again only
after the database was asked the same and answered the same: that costs far less than to make it, and it cannot be out
of date."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from inspector.web.sized_cache import SizedCache
from sessions.archive.selectors.blocks import load_blocks
from sessions.archive.selectors.records import Reader
from sessions.context.engine import Context
from sessions.context.selectors.contexts import ContextPoint, load_context
from sessions.context.selectors.subagent_notes import has_subagent_notes
from sessions.linking.selectors import Answers, LinkRows, select
from sessions.models import Transcript

MAX_BYTES = 20_000_000
MIN_BYTES = 500_000
"""Every context counts as so many bytes at least: so there are forty of them at most."""
ROW_BYTES = 300
"""What a row takes in memory. A record takes about as much as it has bytes."""


@dataclass(frozen=True, slots=True)
class _CachedContext:
    context: Context
    answers: Answers
    prints: dict[int, bytes]
    """Block of the archive -> the hash of its frame."""
    size: int

    def is_current(self, known: Answers) -> bool:
        """Would it be made of the same? `known` gets the rows as they are now. What is asked depends on nothing but on
        what was answered before, so that equal answers mean that nothing else would be asked."""
        for (where, values), rows in self.answers.items():
            known[where, values] = select(where, values)
            if known[where, values] != rows:
                return False
        blocks = load_blocks(self.prints) if self.prints else None
        return blocks is None or (blocks.prints == self.prints and not blocks.raw and not blocks.damage)


contexts: SizedCache[_CachedContext] = SizedCache(MAX_BYTES, lambda made: made.size)


def cached_context(transcript: Transcript, point: ContextPoint) -> Context:
    """The same as `context_of`. Whoever gets it shares it with others, and must not change it."""
    if has_subagent_notes(transcript) or (point.request and point.capture is not None):
        # It is made of more than rows and records of the transcript.
        return load_context(transcript, point)
    key = _key(transcript, point)
    known: Answers = {}
    made = contexts.find(key)
    if made is not None and made.is_current(known):
        return made.context
    reader = Reader(transcript.source_id)
    links = LinkRows(transcript.pk, transcript.source_id, reader, answers=known)
    context = load_context(transcript, point, links=links)
    prints = {block: frame for block, frame in reader.prints.items() if frame is not None}
    if len(prints) == len(reader.prints):
        size = sum(length + ROW_BYTES for _, length in links.places.values())
        contexts.put(key, _CachedContext(context, known, prints, max(size, MIN_BYTES)))
    return context


def _key(transcript: Transcript, point: ContextPoint) -> Hashable:
    """What `context_of` takes from the transcript's own row, and the point."""
    boundaries = tuple(one for one in transcript.ruler.get("boundaries", ()) if one < point.position)
    return transcript.pk, transcript.source_id, transcript.version, boundaries, point
