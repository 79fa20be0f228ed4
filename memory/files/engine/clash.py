"""Two conflicting changes to one file, and the text that both started from."""

from __future__ import annotations

from dataclasses import dataclass, field

from memory.files.engine.disk import FileTroubleError, digest_of
from memory.files.engine.merging import Merge, merge


@dataclass(frozen=True, slots=True)
class Clash:
    path: str
    name: str
    base: bytes | None
    """What both changes started from; None if there was no file, or if it is not known."""
    ours: bytes | None
    """What we were asked to write; None: to delete the file."""
    theirs: bytes | None
    """What is there now; None: somebody deleted it."""
    key: int = field(default=0)
    """For an undo: the version that cannot be taken back without a merge."""

    @property
    def expected(self) -> str | None:
        """The digest to expect when writing over their text."""
        return None if self.theirs is None else digest_of(self.theirs)

    @property
    def merge(self) -> Merge | None:
        """A merge by lines; None if one side deleted the file or it is not text."""
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
    """Turns a merged text back into bytes. Undoes `_decode`."""
    return text.encode("utf-8", "surrogateescape")


def _decode(side: bytes | None) -> str:
    """Decodes so that `encode_merged` restores every byte."""
    return (side or b"").decode("utf-8", "surrogateescape")
