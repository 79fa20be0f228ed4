"""In a user message, results come before everything else."""

from __future__ import annotations

from collections.abc import Iterator

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.request_reader import BlockSpot, ParsedRequest, RoleSection, spots_of


def check(request: ParsedRequest) -> Iterator[Finding]:
    for section in request.sections:
        late = late_results(section)
        if late:
            yield Finding(
                "results-first",
                Severity.REFUSED,
                late[0].path,
                "Something else stands before this result.",
                "Move the results to the beginning of the user message.",
                f"messages.{section[0].index}: `tool_use` ids were found without `tool_result` blocks immediately "
                f"after: {late[0].block.get('tool_use_id')}",
            )


def late_results(section: RoleSection) -> list[BlockSpot]:
    if section[0].role != "user":
        return []
    spots = spots_of(section)
    first_other = next((index for index, spot in enumerate(spots) if spot.type != "tool_result"), len(spots))
    return [spot for spot in spots[first_other:] if spot.type == "tool_result"]
