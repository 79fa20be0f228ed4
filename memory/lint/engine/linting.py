"""Runs all rules over a directory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Protocol

from memory.files.engine.reading.directory import MemoryDirectory
from memory.lint.engine.finding import Finding, Severity
from memory.lint.engine.rules import (
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
from memory.lint.engine.surroundings import Surroundings


class Family(Protocol):
    """Rules about one subject."""

    def check(self, directory: MemoryDirectory, surroundings: Surroundings) -> Iterator[Finding]: ...


MOST_OF_A_KIND = 100
"""Findings of one rule in one file; one more finding says how many are left out."""
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
_ORDER = {severity: rank for rank, severity in enumerate(Severity)}


def lint(directory: MemoryDirectory, surroundings: Surroundings) -> list[Finding]:
    """The findings of a memory directory, the gravest first. Asks no model and changes nothing."""
    findings = _limit(finding for family in _FAMILIES for finding in _check_family(family, directory, surroundings))
    return sorted(
        findings, key=lambda finding: (_ORDER[finding.severity], finding.file, finding.line or 0, finding.rule)
    )


def _check_family(family: Family, directory: MemoryDirectory, surroundings: Surroundings) -> list[Finding]:
    """Runs a family of rules. If it fails, the files that make it fail are reported, and the others checked without
    them."""
    try:
        return list(family.check(directory, surroundings))
    except Exception as error:
        failed = [
            file for file in directory.files if _fails(family, MemoryDirectory(directory.path, (file,)), surroundings)
        ]
        if not failed:
            raise
        message = f"This file could not be looked through ({type(error).__name__}): it can be opened, and deleted."
        rest = MemoryDirectory(directory.path, tuple(file for file in directory.files if file not in failed))
        if _fails(family, rest, surroundings):
            failed, rest = list(directory.files), MemoryDirectory(directory.path, ())
        findings = family.check(rest, surroundings) if rest.files else ()
        return [*(Finding("unreadable", file.name, Severity.ERROR, message) for file in failed), *findings]


def _fails(family: Family, directory: MemoryDirectory, surroundings: Surroundings) -> bool:
    try:
        list(family.check(directory, surroundings))
    except Exception:
        return True
    return False


def _limit(findings: Iterable[Finding]) -> Iterator[Finding]:
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
