"""The health of a directory: one number, and how it was computed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from memory.files.engine.reading.directory import MemoryDirectory
from memory.files.engine.reading.file import INDEX_NAME
from memory.lint.engine.finding import Finding, Severity

WEIGHTS = {Severity.ERROR: 1.0, Severity.WARNING: 0.4, Severity.NOTE: 0.1}
INDEX_SHARE = 0.25
FORMULA = (
    "Each file loses 1 for an error, 0.4 for a warning and 0.1 for a note, each rule once, and 1 at most. "
    "Health is 100 × (1 − 0.25 × what the index has lost − 0.75 × what the topics have lost on average). "
    "Findings of the directory as a whole count for the index."
)


@dataclass(frozen=True, slots=True)
class Health:
    score: int
    """From 0 to 100."""
    index_loss: float
    topic_loss: float
    """On average over all topics."""
    topics: int

    @property
    def formula(self) -> str:
        return FORMULA

    @property
    def sum(self) -> str:
        """The formula with its numbers."""
        index, topics = f"{INDEX_SHARE} × {self.index_loss:.2f}", f"{1 - INDEX_SHARE} × {self.topic_loss:.3f}"
        return f"100 × (1 − {index} − {topics}) = {self.score}"


def compute_health(directory: MemoryDirectory, findings: Iterable[Finding]) -> Health:
    rules: dict[str, dict[str, float]] = defaultdict(dict)
    for finding in findings:
        rule_losses = rules[finding.file or INDEX_NAME]
        rule_losses[finding.rule] = max(rule_losses.get(finding.rule, 0.0), WEIGHTS[finding.severity])
    losses = {file: min(sum(rule_losses.values()), 1.0) for file, rule_losses in rules.items()}
    files = [file.name for file in directory.files if file.name != INDEX_NAME]
    index_loss = losses.get(INDEX_NAME, 0.0)
    topic_loss = sum(losses.get(name, 0.0) for name in files) / len(files) if files else 0.0
    score = round(100 * (1 - INDEX_SHARE * index_loss - (1 - INDEX_SHARE) * topic_loss))
    return Health(score, index_loss, topic_loss, len(files))
