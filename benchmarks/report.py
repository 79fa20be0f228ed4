"""The machine, the date and the table, on the screen and in files."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.table import Row, markdown_table, text_table

RESULTS = Path(__file__).resolve().parent / "results"
DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
MARKS = ("<!-- numbers -->\n", "<!-- /numbers -->\n")


@dataclass(frozen=True, slots=True)
class Machine:
    cores: int
    memory_gb: float
    system: str

    def __str__(self) -> str:
        return (
            f"{self.cores} cores, {self.memory_gb:.0f} GB of memory, {self.system}, Python {platform.python_version()}"
        )


def machine_look() -> Machine:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Machine(os.cpu_count() or 1, pages / 1e9, f"{platform.system()} {platform.machine()}")


def report_text(rows: Sequence[Row], notes: Sequence[str]) -> str:
    return "\n".join([str(machine_look()), "", text_table(rows), "", *notes])


def report_write(rows: Sequence[Row], notes: Sequence[str], *, complete: bool) -> None:
    """Only a complete run becomes the latest one, which docs/benchmarks.md shows."""
    name = "latest" if complete else "partial"
    RESULTS.mkdir(exist_ok=True)
    machine, today = machine_look(), datetime.now(UTC).date().isoformat()
    facts = {"date": today, "machine": str(machine), "notes": list(notes), "rows": [row.facts() for row in rows]}
    (RESULTS / f"{name}.json").write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n")
    lines = [f"Measured {today} on {machine}.", "", markdown_table(rows), "", *(f"- {note}" for note in notes)]
    (RESULTS / f"{name}.md").write_text("\n".join(lines).rstrip() + "\n")
    if complete:
        DOCUMENT.write_text(document_text(DOCUMENT.read_text(), rows, f"Measured {today} on {machine}."))


def document_text(document: str, rows: Sequence[Row], heading: str) -> str:
    """The document with the judged rows between its marks, and all else as it was."""
    before, mark, rest = document.partition(MARKS[0])
    _, end, after = rest.partition(MARKS[1])
    if not mark or not end:
        raise ValueError(f"{DOCUMENT.name} has no {MARKS[0].strip()} … {MARKS[1].strip()}")
    judged = markdown_table([row for row in rows if row.target is not None])
    more = "Every line, with floors and peers: [benchmarks/results/latest.md](../benchmarks/results/latest.md)."
    how = "What is measured, and how: [below](#what-is-measured)."
    return f"{before}{mark}{heading} {more} {how}\n\n{judged}\n{end}{after}"
