"""How the messages of two requests differ: they were rewritten, or the session went back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from compaction.cache.engine.differences.divergence import Divergence, DivergenceSide, byte_offset, edit_of
from sessions.context.engine import Context
from sessions.context.engine.changes import ChangeKind, Changes, compare_contexts, origins
from sessions.context.engine.digest import canonical, hashed_text
from sessions.context.engine.rendering.array import Element, Piece
from sessions.text.engine.words import plural
from sessions.transcripts.engine.messages import MessageKind


@dataclass(frozen=True, slots=True)
class MessageRewrite:
    message_index: int
    """The index of the first message that differs."""
    went_back: bool
    """A rewind: the earlier messages are unchanged, but others follow them."""
    sentence: str
    divergence: Divergence
    size: Mapping[str, int]
    positions: tuple[int, ...]
    clearing_positions: tuple[int, ...] = ()
    """The records that cleared, snipped or collapsed the first message that differs."""


def find_rewrite(previous: Context, current: Context) -> MessageRewrite | None:
    """None if the current request starts with all messages of the previous one."""
    same_prints = _compare_prints(previous, current)
    if same_prints is not None and same_prints[0] == same_prints[1]:
        return None
    diff = compare_contexts(previous, current)
    if diff.is_prefix_unchanged:
        return None if same_prints is None else _hidden_rewrite(*same_prints)
    old, new = previous.elements, current.elements
    divergence = _find_divergence(
        old[diff.unchanged], new[diff.unchanged] if diff.unchanged < len(new) else None, diff.unchanged
    )
    counts = {kind.value: len(diff.of(kind)) for kind in ChangeKind}
    clearing_positions = [diff.cause.by] if diff.cause is not None and diff.cause.by is not None else []
    positions = [side.position for side in (divergence.old, divergence.new) if side.position is not None]
    went_back = _has_gone_back(diff, previous, current)
    sentence = (
        _describe_rewind(diff)
        if went_back
        else diff.sentence.replace("The prefix broke", "The messages differ from the former request")
    )
    if not went_back and divergence.offset:
        sentence = f"{sentence[:-1]}, from byte {divergence.offset:,} of {divergence.path} on."
    return MessageRewrite(
        diff.unchanged,
        went_back,
        sentence,
        divergence,
        counts,
        tuple(dict.fromkeys([*clearing_positions, *positions])),
        tuple(clearing_positions),
    )


def _compare_prints(previous: Context, current: Context) -> tuple[int, int] | None:
    """How many messages have the same hash from the start, and how many there are; None if the client logged no hashes.
    They also cover texts that are not stored as they were sent."""
    if previous.logged is None or current.logged is None:
        return None
    old, new = previous.logged.hashes, current.logged.hashes
    if not old or not new:
        return None
    different = (index for index, (before, after) in enumerate(zip(old, new, strict=False)) if before != after)
    return next(different, min(len(old), len(new))), len(old)


def _hidden_rewrite(message_index: int, count: int) -> MessageRewrite:
    sentence = (
        f"The client's own hash of message {message_index + 1} of {count} changed, while the texts that are stored of"
        " it are the same."
    )
    return MessageRewrite(message_index, False, sentence, Divergence("messages", f"messages[{message_index}]"), {}, ())


def _describe_rewind(diff: Changes) -> str:
    dropped = plural(diff.before - diff.unchanged, "message")
    return f"The session went back: the last {dropped} of the former request were left behind."


def _has_gone_back(diff: Changes, previous: Context, current: Context) -> bool:
    if diff.of(ChangeKind.REWRITTEN):
        return False
    if any(change.cause is not None for change in diff.changes):
        return False
    later = current.elements[diff.unchanged :]
    if any(piece.message.kind is MessageKind.SUMMARY for element in later for piece in element.pieces):
        return False  # a compaction lies between two requests that do not follow each other
    if previous.request in {piece.message.message_id for element in later for piece in element.pieces}:
        return False  # a client that read the session again wrote it down once more
    later_origins = [origin for element in later for origin in origins(element)]
    return all(not isinstance(origin, int) or origin > previous.position for origin in later_origins)


def _find_divergence(old: Element, new: Element | None, message_index: int) -> Divergence:
    pieces = new.pieces if new is not None and new.role == old.role else ()
    index = next(
        (i for i, (before, after) in enumerate(zip(old.pieces, pieces, strict=False)) if before.block != after.block),
        min(len(old.pieces), len(pieces)),
    )
    before = old.pieces[index] if index < len(old.pieces) else None
    after = pieces[index] if index < len(pieces) else None
    if after is None and before is None:
        before = old.pieces[-1] if old.pieces else None
    path = f"messages[{message_index}].content[{index}]"
    offset = None
    if before is not None and after is not None:
        texts = _words(before), _words(after)
        offset = byte_offset(texts[1], edit_of(*texts).same_characters)
    return Divergence("messages", path, offset, _side(path, before), _side(path, after))


def _words(piece: Piece) -> str:
    return hashed_text(piece.block)


def _side(path: str, piece: Piece | None) -> DivergenceSide:
    if piece is None:
        return DivergenceSide()
    return DivergenceSide(
        path, len(hashed_text(piece.block)) or len(canonical(dict(piece.block))), piece.message.position
    )
