"""Two wanted different things of one file: what each wanted, and what they had both started from."""

from __future__ import annotations

from dataclasses import dataclass, field

from memory.files.engine.disk import FileTroubleError, digest_of
from memory.files.engine.merging import Merge, merge


@dataclass(frozen=True, slots=True)
class Clash:
    path: str
    name: str
    base: bytes | None
    """What both started from; None if there was no file, or if nobody knows."""
    ours: bytes | None
    """What was asked for; None: to delete it."""
    theirs: bytes | None
    """What is there now; None: somebody deleted it."""
    key: int = field(default=0)
    """Of an undo: the version that could not be taken back by itself."""

    @property
    def expected(self) -> str | None:
        """What a write that takes theirs into account has to expect."""
        return None if self.theirs is None else digest_of(self.theirs)

    @property
    def merge(self) -> Merge | None:
        """By lines. None where there is nothing to merge: one side deleted the file, or it is no text."""
        if self.ours is None or self.theirs is None or any(b"\0" in (side or b"") for side in self._sides):
            return None
        base, ours, theirs = (_decode(side) for side in self._sides)
        return merge(base, ours, theirs)

    @property
    def _sides(self) -> tuple[bytes | None, bytes | None, bytes | None]:
        return self.base, self.ours, self.theirs


class ChangedMeanwhileError(FileTroubleError):
    """Nothing was written. `clashes` has a merge for each file that somebody else has changed."""

    def __init__(self, clashes: tuple[Clash, ...]) -> None:
        names = ", ".join(clash.name for clash in clashes[:5])
        more = f" and {len(clashes) - 5} more" if len(clashes) > 5 else ""
        verb = "were" if len(clashes) > 1 else "was"
        super().__init__(f"{names}{more} {verb} changed meanwhile. Nothing was written.")
        self.clashes = clashes


def encode_merged(text: str) -> bytes:
    """A merged text as the bytes that it was made from."""
    return text.encode("utf-8", "surrogateescape")


def _decode(side: bytes | None) -> str:
    """Every byte can be had back: see `bytes_of`."""
    return (side or b"").decode("utf-8", "surrogateescape")
