"""Notes that a client put in the order of their times when it read a session again (2.1.160 to 2.1.250): it hangs the
next row on the latest of them, which need not be the last that was written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sessions.linking.engine.rows import LinkRow


def end_of_notes(
    parent: int | None, rows: Mapping[int, LinkRow], positions: Mapping[int, int], notes: Mapping[int, Sequence[int]]
) -> int | None:
    """What a row follows whose parent is a note: the last of those that were written after that note and are earlier by
    their times, each as the next one's parent. `notes`: the positions of what follows a row beside the conversation."""
    latest = rows.get(positions.get(parent, -1)) if parent is not None else None
    if latest is None or latest.type != "attachment" or latest.at is None:
        return parent
    end = latest
    while end.uuid is not None and len(following := notes.get(end.uuid, ())) == 1:
        end = rows[following[0]]
        if end.type != "attachment" or end.at is None or end.at >= latest.at:
            return parent
    return end.uuid
