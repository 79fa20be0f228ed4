"""The files of the fictional project while the story goes on: Read, Edit and Write are worked out, not typed."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

Patch = list[dict[str, Any]]
HOME = "/home/dev/tidewatch"
_FILES = Path(__file__).parent / "files"


def patch(old: str, new: str) -> Patch:
    """The hunks between two texts, three lines of context, as the client stores them."""
    hunks: Patch = []
    before, after = old.splitlines(), new.splitlines()
    matcher = difflib.SequenceMatcher(a=before, b=after, autojunk=False)
    for group in matcher.get_grouped_opcodes(3):
        lines: list[str] = []
        for tag, low, high, first, last in group:
            if tag == "equal":
                lines += [" " + line for line in before[low:high]]
                continue
            lines += ["-" + line for line in before[low:high]]
            lines += ["+" + line for line in after[first:last]]
        hunks.append(
            {
                "oldStart": group[0][1] + 1,
                "oldLines": group[-1][2] - group[0][1],
                "newStart": group[0][3] + 1,
                "newLines": group[-1][4] - group[0][3],
                "lines": lines,
            }
        )
    return hunks


def changed(hunks: Patch) -> tuple[int, int]:
    lines = [line for hunk in hunks for line in hunk["lines"]]
    return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)


class Workspace:
    def __init__(self) -> None:
        self.files = {
            f"{HOME}/{path.relative_to(_FILES).as_posix().removesuffix('.txt')}": path.read_text("utf-8")
            for path in sorted(_FILES.rglob("*.txt"))
        }
        self.added = 0
        self.removed = 0

    def lines(self, path: str, offset: int = 1, limit: int | None = None) -> tuple[list[str], int]:
        """The lines asked for, and how many there are."""
        every = self.files[path].splitlines()
        end = len(every) if limit is None else min(len(every), offset - 1 + limit)
        return every[offset - 1 : end], len(every)

    def edit(self, path: str, old: str, new: str) -> tuple[str, Patch]:
        """Replaces the one place where `old` stands; gives the text before and the hunks."""
        before = self.files[path]
        if before.count(old) != 1:
            raise ValueError(f"{path}: {before.count(old)} places hold {old!r}")
        return before, self.put(path, before.replace(old, new))

    def put(self, path: str, text: str) -> Patch:
        hunks = patch(self.files.get(path, ""), text)
        more, less = changed(hunks)
        self.added += more
        self.removed += less
        self.files[path] = text
        return hunks
