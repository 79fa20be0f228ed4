"""A cache of contexts. Each is kept with the answers of the queries it was made from, and is used again only if the
same queries give the same answers. That costs far less than rebuilding it, and it is never out of date."""

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
"""Every context counts as at least this many bytes, so there are at most forty."""
ROW_BYTES = 300
"""What a row takes in memory. A record takes about as much as it has bytes."""


@dataclass(frozen=True, slots=True)
class _CachedContext:
    context: Context
    answers: Answers
    prints: dict[int, bytes]
    """Archive block -> the hash of its frame."""
    size: int

    def is_current(self, current: Answers) -> bool:
        """Would it be made from the same rows? `current` collects the answers as they are now. Each query depends only
        on the answers before it, so equal answers mean equal queries."""
        for (condition, values), rows in self.answers.items():
            current[condition, values] = select(condition, values)
            if current[condition, values] != rows:
                return False
        blocks = load_blocks(self.prints) if self.prints else None
        return blocks is None or (blocks.prints == self.prints and not blocks.raw and not blocks.damage)


contexts: SizedCache[_CachedContext] = SizedCache(MAX_BYTES, lambda cached: cached.size)


def cached_context(transcript: Transcript, point: ContextPoint) -> Context:
    """The same as `load_context`, but shared: callers must not change it."""
    if has_subagent_notes(transcript) or (point.request and point.capture is not None):
        # It depends on more than this transcript.
        return load_context(transcript, point)
    key = _key(transcript, point)
    answers: Answers = {}
    cached = contexts.find(key)
    if cached is not None and cached.is_current(answers):
        return cached.context
    reader = Reader(transcript.source_id)
    links = LinkRows(transcript.pk, transcript.source_id, reader, answers=answers)
    context = load_context(transcript, point, links=links)
    prints = {block: frame for block, frame in reader.prints.items() if frame is not None}
    if len(prints) == len(reader.prints):
        size = sum(length + ROW_BYTES for _, length in links.locations.values())
        contexts.put(key, _CachedContext(context, answers, prints, max(size, MIN_BYTES)))
    return context


def _key(transcript: Transcript, point: ContextPoint) -> Hashable:
    """What a context depends on in the transcript's own row, and the point."""
    boundaries = tuple(boundary for boundary in transcript.ruler.get("boundaries", ()) if boundary < point.position)
    return transcript.pk, transcript.source_id, transcript.version, boundaries, point
