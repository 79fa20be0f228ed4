"""What came of all scenarios of a version, and the table of all versions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import NamedTuple

from tests.truth.compare import Verdict
from tests.truth.misses import UNEXPLAINED, Miss

HEADS = (
    "version",
    "scenarios",
    "requests",
    "conversations",
    "marked",
    "whole",
    "sub-agents",
    "breaks",
    "false",
    "cause",
    "exports",
)


class Judgement(NamedTuple):
    """Of one recording. The transcripts in its folder are imported."""

    verdicts: list[Verdict]
    breaks: int
    """Of the cache, that must be found."""
    breaks_found: int
    breaks_false: int
    causes_right: int
    misses: list[Miss]


@dataclass
class Report:
    version: str
    scenarios: int = 0
    requests: int = 0
    conversations: int = 0
    whole: int = 0
    agents: int = 0
    """Requests of sub-agents, which are counted among the others too."""
    agents_exact: int = 0
    breaks: int = 0
    breaks_found: int = 0
    breaks_false: int = 0
    causes_right: int = 0
    exports: int = 0
    exports_resumed: int = 0
    misses: dict[str, list[Miss]] = field(default_factory=dict)
    """By scenario."""

    def add(self, scenario: str, judgement: Judgement) -> None:
        verdicts = judgement.verdicts
        self.scenarios += 1
        self.requests += len(verdicts)
        self.conversations += sum(verdict.conversation for verdict in verdicts)
        self.whole += sum(verdict.whole for verdict in verdicts)
        self.agents += sum(verdict.agent for verdict in verdicts)
        self.agents_exact += sum(verdict.agent and verdict.conversation for verdict in verdicts)
        self.breaks += judgement.breaks
        self.breaks_found += judgement.breaks_found
        self.breaks_false += judgement.breaks_false
        self.causes_right += judgement.causes_right
        self.miss(scenario, *judgement.misses)

    def merge(self, other: Report) -> None:
        for name in COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for scenario, misses in other.misses.items():
            self.miss(scenario, *misses)

    def miss(self, scenario: str, *misses: Miss) -> None:
        if misses:
            self.misses.setdefault(scenario, []).extend(misses)

    @property
    def unexplained(self) -> list[tuple[str, Miss]]:
        return [
            (scenario, miss) for scenario, misses in self.misses.items() for miss in misses if miss.cause == UNEXPLAINED
        ]

    def marked(self) -> str:
        """Of the conversations that are not exact, those of which Lucid says itself that it does not know: each cause
        asks for that."""
        missed = [miss for misses in self.misses.values() for miss in misses if miss.what in ("conversation", "answer")]
        return f"{sum(miss.cause != UNEXPLAINED for miss in missed)} of {len(missed)}"

    def cells(self) -> tuple[str, ...]:
        return (
            self.version,
            str(self.scenarios),
            str(self.requests),
            str(self.conversations),
            self.marked(),
            str(self.whole),
            f"{self.agents_exact} of {self.agents}",
            f"{self.breaks_found} of {self.breaks}",
            str(self.breaks_false),
            f"{self.causes_right} of {self.breaks_found}",
            f"{self.exports_resumed} of {self.exports}",
        )

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=1), "utf-8")

    @classmethod
    def load(cls, path: Path) -> Report:
        data = json.loads(path.read_text("utf-8"))
        data["misses"] = {name: [Miss(*miss) for miss in misses] for name, misses in data["misses"].items()}
        return cls(**data)


COUNTS = [item.name for item in fields(Report) if item.type == "int"]


def of_version(folder: Path, scenarios: Collection[str]) -> Report:
    """What is kept of these scenarios; of all, if none is named."""
    report = Report(folder.name)
    for path in sorted(folder.glob("*.json")):
        if not scenarios or path.stem in scenarios:
            report.merge(Report.load(path))
    return report


def table(reports: list[Report]) -> str:
    """In Markdown, as docs/truth.md has it; of several versions with their sum."""
    whole = Report("all")
    for report in reports:
        whole.merge(report)
    rows = [*reports, whole] if len(reports) > 1 else reports
    lines = [HEADS, tuple("---" for _ in HEADS), *(report.cells() for report in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def explanations(reports: list[Report]) -> str:
    lines = []
    for report in reports:
        counts = Counter((miss.what, miss.cause) for misses in report.misses.values() for miss in misses)
        lines += [f"{report.version}: {count} x {what}: {cause}" for (what, cause), count in sorted(counts.items())]
        lines += [
            f"{report.version}: UNEXPLAINED in {name}: {miss.what}: {miss.detail}" for name, miss in report.unexplained
        ]
    return "\n".join(lines)
