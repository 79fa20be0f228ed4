"""The yardstick of compactions: ours beside what the client sent after the same boundary, by kind and version.

python -m tests.compaction.yardstick                  the recordings in the tree, and the samples beside it
python -m tests.compaction.yardstick FOLDER ...       recordings elsewhere
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.compaction.yardstick.boundaries import boundaries_of
from tests.compaction.yardstick.holding import Verdict, hold
from tests.compaction.yardstick.parts import PARTS
from tests.samples import REQUEST_LOG, SHARED
from tests.truth.recordings import FOLDER


def recordings(*roots: Path) -> list[Path]:
    return sorted(path.parent for root in roots for path in root.rglob(REQUEST_LOG))


def verdicts(folders: Iterable[Path]) -> list[Verdict]:
    return [hold(boundary) for folder in folders for boundary in boundaries_of(folder)]


def table(outcomes: Sequence[Verdict]) -> str:
    groups: dict[tuple[str, tuple[int, ...]], list[Verdict]] = {}
    for verdict in outcomes:
        version = tuple(int(number) for number in verdict.boundary.version.split("."))
        groups.setdefault((verdict.boundary.kind, version), []).append(verdict)
    lines = [f"| kind | version | boundaries | exact | {' | '.join(PARTS)} |", "|---" * (4 + len(PARTS)) + "|"]
    for (kind, version), group in sorted(groups.items()):
        lines.append(_line(kind, ".".join(map(str, version)), group))
    return "\n".join([*lines, _line("all", "", outcomes)])


def _line(kind: str, version: str, group: Sequence[Verdict]) -> str:
    right = [sum(1 for item in group if not item.declined and not item.differences[part]) for part in PARTS]
    exact = sum(verdict.is_exact for verdict in group)
    return f"| {kind} | {version} | {len(group)} | {exact} | {' | '.join(map(str, right))} |"


def misses(outcomes: Sequence[Verdict]) -> str:
    lines = []
    for verdict in outcomes:
        boundary = verdict.boundary
        reasons = [f"declined: {verdict.declined}"] if verdict.declined else []
        reasons += [
            f"{part}: {verdict.causes[part] or f'unexplained: {difference}'}"
            for part, difference in verdict.differences.items()
            if difference
        ]
        lines += [f"{boundary.version} {boundary.recording} request {boundary.request['n']}, {why}" for why in reasons]
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    roots = [Path(name) for name in arguments] or [FOLDER, SHARED / "realclient"]
    result = verdicts(recordings(*roots))
    print(table(result))
    print(misses(result))
    return int(not result or any(verdict.unexplained or verdict.declined for verdict in result))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
