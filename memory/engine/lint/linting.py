"""All rules over one directory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from memory.engine.lint.finding import Finding, Severity
from memory.engine.lint.rules import (
    age,
    contradictions,
    dates,
    duplicates,
    headers,
    hidden,
    limits,
    pointers,
    reading,
    reasons,
    references,
    secrets,
    unsaved,
)
from memory.engine.lint.surroundings import Surroundings
from memory.engine.reading.directory import Directory

MOST_OF_A_KIND = 100
"""Findings of one rule in one file; how many more there are is told in one."""
_FAMILIES = (
    reading,
    limits,
    pointers,
    headers,
    reasons,
    dates,
    age,
    unsaved,
    duplicates,
    contradictions,
    references,
    secrets,
    hidden,
)
_ORDER = {severity: at for at, severity in enumerate(Severity)}


def lint(directory: Directory, surroundings: Surroundings) -> list[Finding]:
    """What is wrong with a memory directory, the gravest first. Asks no model, and changes nothing."""
    findings = _few(finding for family in _FAMILIES for finding in family.check(directory, surroundings))
    return sorted(
        findings, key=lambda finding: (_ORDER[finding.severity], finding.file, finding.line or 0, finding.rule)
    )


def _few(findings: Iterable[Finding]) -> Iterator[Finding]:
    counts: Counter[tuple[str, str]] = Counter()
    last: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        kind = (finding.rule, finding.file)
        counts[kind] += 1
        last[kind] = finding
        if counts[kind] <= MOST_OF_A_KIND:
            yield finding
    for kind, count in counts.items():
        if count > MOST_OF_A_KIND:
            words = f"{count - MOST_OF_A_KIND:,} more of this kind are in this file."
            yield Finding(*kind, last[kind].severity, words, last[kind].line)
