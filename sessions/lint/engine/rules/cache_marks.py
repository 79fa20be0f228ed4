"""Cache marks: how many, where, for how long, and whether they do anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.request_reader import ParsedRequest, api_path_of
from sessions.lint.engine.rules.empty import is_blank
from sessions.lint.engine.rules.tools import is_deferred
from sessions.lint.engine.size_limits import estimate_tokens
from sessions.transcripts.engine.messages import THINKING_TYPES

MAX_MARKS = 4
_TTLS = (None, "5m", "1h")


@dataclass(frozen=True, slots=True)
class MarkedPart:
    path: str
    control: Any
    part: Mapping[str, Any]
    tokens: int
    """Roughly how many tokens the prefix up to here has."""

    @property
    def control_path(self) -> str:
        return self.path if self.path == "cache_control" else f"{self.path}.cache_control"

    @property
    def ttl(self) -> Any:
        return self.control.get("ttl") if isinstance(self.control, Mapping) else None


def check(request: ParsedRequest) -> Iterator[Finding]:
    marks = list(_marks(request))
    yield from _check_count(marks)
    yield from _check_order(marks)
    for mark in marks:
        yield from _check_place(mark)
    yield from _check_request_mark(request)
    yield from _check_size(request, marks)


def _marks(request: ParsedRequest) -> Iterator[MarkedPart]:
    """The marks in the order of the API: tools, system, messages, and the mark of the request for its last block."""
    before = within = 0
    for path, part, inside in _parts(request):
        weight = 0 if is_deferred(part) else estimate_tokens(part)
        before, within = (before, within + weight) if inside else (before + weight, 0)
        if part.get("cache_control") is not None:
            yield MarkedPart(path, part["cache_control"], part, before + within)
    if request.body.get("cache_control") is not None:
        yield MarkedPart("cache_control", request.body["cache_control"], {}, before)


def _parts(request: ParsedRequest) -> Iterator[tuple[str, Mapping[str, Any], bool]]:
    """Everything that can carry a mark, and whether it is inside another part."""
    for name in ("tools", "system"):
        parts = request.body.get(name)
        if name == "system" and isinstance(parts, str):
            yield name, {"type": "text", "text": parts}, False
        for index, part in enumerate(parts if isinstance(parts, list) else []):
            if isinstance(part, Mapping):
                yield f"{name}[{index}]", part, False
    for spot in request.spots:
        content = spot.block.get("content") if spot.type == "tool_result" else None
        for index, part in enumerate(content if isinstance(content, list) else []):
            if isinstance(part, Mapping):
                yield f"{spot.path}.content[{index}]", part, True
        yield spot.path, spot.block, False


def _check_count(marks: list[MarkedPart]) -> Iterator[Finding]:
    count = len(marks)
    if count > MAX_MARKS:
        yield Finding(
            "too-many-marks",
            Severity.REFUSED,
            marks[MAX_MARKS].path,
            f"There are {count} cache marks; {MAX_MARKS} are allowed.",
            "Keep those on the tools, on the system prompt and on the last message.",
            f"A maximum of {MAX_MARKS} blocks with cache_control may be provided. Found {count}.",
        )


def _check_order(marks: list[MarkedPart]) -> Iterator[Finding]:
    short = next((index for index, mark in enumerate(marks) if mark.ttl != "1h"), len(marks))
    for mark in marks[short:]:
        if mark.ttl == "1h":
            yield Finding(
                "mark-order",
                Severity.REFUSED,
                mark.path,
                "A mark for an hour stands after one for five minutes.",
                "Let the marks for an hour come first: tools, then system, then messages.",
                f"{api_path_of(mark.control_path)}.ttl: a ttl='1h' cache_control block must not come after a "
                "ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, "
                "`system`, `messages`.",
            )
            return


def _check_place(mark: MarkedPart) -> Iterator[Finding]:
    control = mark.control
    if not isinstance(control, Mapping) or control.get("type") != "ephemeral" or mark.ttl not in _TTLS:
        yield _place_finding(mark, "A cache mark is of the type ephemeral, for 5m or 1h.", "Write it so.")
    if is_deferred(mark.part):
        words = f"Tool '{mark.part.get('name')}' cannot have both defer_loading=true and cache_control set. Tools with "
        words += "defer_loading cannot use prompt caching."
        yield _place_finding(
            mark, "A tool that is loaded on demand is not cached.", "Put it on a tool before it.", words
        )
    if mark.part.get("type") in THINKING_TYPES:
        words = f"{api_path_of(mark.path)}.{mark.part['type']}.cache_control: Extra inputs are not permitted"
        yield _place_finding(
            mark, "A thinking block cannot carry a cache mark.", "Put it on the block after it.", words
        )
    if is_blank(mark.part):
        words = f"{api_path_of(mark.path)}: cache_control cannot be set for empty text blocks"
        yield _place_finding(mark, "An empty text cannot carry a cache mark.", "Put it on the block before it.", words)


def _check_request_mark(request: ParsedRequest) -> Iterator[Finding]:
    """The mark of the request applies to the last block that can carry one, which may have its own."""
    control = request.body.get("cache_control")
    markable = (
        spot.block for spot in reversed(request.spots) if spot.type not in THINKING_TYPES and not is_blank(spot.block)
    )
    own = next(markable, {}).get("cache_control")
    if isinstance(control, Mapping) and isinstance(own, Mapping) and _lifetime(control) != _lifetime(own):
        yield Finding(
            "mark-place",
            Severity.REFUSED,
            "cache_control",
            "The mark of the request and that of its last block are for different times.",
            "Let both be for the same time, or leave one of them out.",
        )


def _lifetime(control: Mapping[str, Any]) -> Any:
    return control.get("ttl") or "5m"


def _place_finding(mark: MarkedPart, message: str, repair: str, api_error: str = "") -> Finding:
    return Finding("mark-place", Severity.REFUSED, mark.control_path, message, repair, api_error)


def _check_size(request: ParsedRequest, marks: list[MarkedPart]) -> Iterator[Finding]:
    least = request.facts.min_cache if request.facts else None
    for mark in marks:
        if least is not None and mark.tokens < least:
            last = mark is marks[-1]
            yield Finding(
                "mark-too-early",
                Severity.COSTS if last else Severity.NOTE,
                mark.path,
                f"At most ~{mark.tokens:,} tokens stand up to this mark; this model caches {least:,} or more, and "
                "below that nothing, without saying so.",
                "Put the mark behind more of it, or leave it out.",
            )
