"""How the messages of two requests differ: rewritten, or only fewer because the session went back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from compaction.cache.engine.place import (
    Place,
    Side,
    byte_offset,
    edit_of,
)
from sessions.context.engine import Context
from sessions.context.engine.changes import ChangeKind, Changes, origins
from sessions.context.engine.changes import compare_contexts as message_changes
from sessions.context.engine.digest import canonical, hashed_text
from sessions.context.engine.rendering.array import Element, Piece
from sessions.text.engine.words import plural


@dataclass(frozen=True, slots=True)
class Rewriting:
    message: int
    """The index of the first message that differs."""
    went_back: bool
    """The earlier messages stand, and others than before follow: a rewind."""
    sentence: str
    place: Place
    size: Mapping[str, int]
    positions: tuple[int, ...]
    taken: tuple[int, ...] = ()
    """Of the records that cleared, snipped or folded away the first message that differs."""


def rewriting(previous: Context, current: Context) -> Rewriting | None:
    """None if all messages of the previous request are still there, and first."""
    printed = _printed(previous, current)
    if printed is not None and printed[0] == printed[1]:
        return None
    told = message_changes(previous, current)
    if told.is_prefix_unchanged:
        return None if printed is None else _hidden(*printed)
    old, new = previous.elements, current.elements
    place = _place(old[told.unchanged], new[told.unchanged] if told.unchanged < len(new) else None, told.unchanged)
    counts = {kind.value: len(told.of(kind)) for kind in ChangeKind}
    by = [told.cause.by] if told.cause is not None and told.cause.by is not None else []
    records = [one.position for one in (place.old, place.new) if one.position is not None]
    back = _went_back(told, previous, current)
    sentence = (
        _back(told)
        if back
        else told.sentence.replace("The prefix broke", "The messages differ from the former request")
    )
    if not back and place.offset:
        sentence = f"{sentence[:-1]}, from byte {place.offset:,} of {place.path} on."
    return Rewriting(told.unchanged, back, sentence, place, counts, tuple(dict.fromkeys([*by, *records])), tuple(by))


def _printed(previous: Context, current: Context) -> tuple[int, int] | None:
    """By the client's own prints of its messages, where it logged them: how many are the same from the start, of how
    many. They tell even of texts that are not kept as they were sent."""
    if previous.logged is None or current.logged is None:
        return None
    old, new = previous.logged.hashes, current.logged.hashes
    if not old or not new:
        return None
    same = (at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other)
    return next(same, min(len(old), len(new))), len(old)


def _hidden(message: int, count: int) -> Rewriting:
    said = (
        f"The client's own print of message {message + 1} of {count} changed, while the texts that are kept of it are"
        " the same."
    )
    return Rewriting(message, False, said, Place("messages", f"messages[{message}]"), {}, ())


def _back(told: Changes) -> str:
    gone = plural(told.before - told.unchanged, "message")
    return f"The session went back: the last {gone} of the former request were left behind."


def _went_back(told: Changes, previous: Context, current: Context) -> bool:
    if told.of(ChangeKind.REWRITTEN):
        return False
    if any(change.cause is not None for change in told.changes):
        return False
    later = [one for element in current.elements[told.unchanged :] for one in origins(element)]
    return all(not isinstance(one, int) or one > previous.position for one in later)


def _place(old: Element, new: Element | None, message: int) -> Place:
    pieces = new.pieces if new is not None and new.role == old.role else ()
    at = next(
        (i for i, (one, other) in enumerate(zip(old.pieces, pieces, strict=False)) if one.block != other.block),
        min(len(old.pieces), len(pieces)),
    )
    before = old.pieces[at] if at < len(old.pieces) else None
    after = pieces[at] if at < len(pieces) else None
    if after is None and before is None:
        before = old.pieces[-1] if old.pieces else None
    path = f"messages[{message}].content[{at}]"
    offset = None
    if before is not None and after is not None:
        texts = _words(before), _words(after)
        offset = byte_offset(texts[1], edit_of(*texts).same)
    return Place("messages", path, offset, _side(path, before), _side(path, after))


def _words(piece: Piece) -> str:
    return hashed_text(piece.block)


def _side(path: str, piece: Piece | None) -> Side:
    if piece is None:
        return Side()
    return Side(path, len(hashed_text(piece.block)) or len(canonical(dict(piece.block))), piece.message.position)
