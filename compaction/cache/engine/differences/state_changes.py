"""What changed in the client's own state between two requests. No parameter shows it, but it may have made the client
build another prompt."""

from __future__ import annotations

from collections.abc import Iterator

from compaction.cache.engine.causes.cause_names import CauseName
from compaction.cache.engine.differences.changes import Change, Rank
from compaction.cache.engine.requests.client_state import ClientState


def find_state_changes(before: ClientState, after: ClientState, records: tuple[int, int]) -> Iterator[Change]:
    """Compares only what is known of both."""
    if _has_switched(before.auto_mode, after.auto_mode):
        sentence = f"Auto mode was switched {'on' if after.auto_mode else 'off'} in between."
        yield Change(CauseName.AUTO_MODE, Rank.HINT, sentence, None, {}, records, in_requests=False)
    if _has_switched(before.overage, after.overage):
        sentence = (
            "The quota of the subscription was used up in between: tokens cost extra from here on."
            if after.overage
            else "The subscription has quota again: tokens no longer cost extra."
        )
        yield Change(CauseName.OVERAGE, Rank.HINT, sentence, None, {}, records, in_requests=False)


def new_deletions(before: ClientState, after: ClientState) -> int:
    """Results that the later request deletes from the cache and the earlier one did not."""
    if before.cache_deletions is None or after.cache_deletions is None:
        return 0
    return max(0, after.cache_deletions - before.cache_deletions)


def _has_switched(before: bool | None, after: bool | None) -> bool:
    return before is not None and after is not None and before != after
