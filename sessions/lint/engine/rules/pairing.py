"""Each call has one result in the next message, and each result its call in the message before."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.request_reader import BlockSpot, ParsedRequest, RoleSection, pair_with_next, spots_of, text_of
from sessions.transcripts.engine.messages import THINKING_TYPES

ID = re.compile(r"[a-zA-Z0-9_-]+")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
SERVER_CALLS = ("server_tool_use", "mcp_tool_use")
ANSWER_BLOCKS = ("tool_use", *SERVER_CALLS, *THINKING_TYPES)
"""Block types that only answers may have."""


def check(request: ParsedRequest) -> Iterator[Finding]:
    yield from _check_ids(request)
    yield from _check_names(request)
    yield from _check_roles(request)
    yield from _check_server_results(request)
    yield from _check_server_calls(request)
    before: RoleSection = []
    for section, after in pair_with_next(request.sections):
        if section[0].role == "assistant":
            yield from _check_unanswered(section, after)
        else:
            yield from _check_unexpected(section, before)
        before = section


def calls_of(section: RoleSection) -> list[BlockSpot]:
    return [spot for spot in spots_of(section, "tool_use") if section[0].role == "assistant"]


def results_of(section: RoleSection) -> list[BlockSpot]:
    return [spot for spot in spots_of(section, "tool_result") if section[0].role == "user"]


def orphaned_server_results(spots: list[BlockSpot]) -> Iterator[BlockSpot]:
    """Results of server tools without a call before them. They belong in the answer itself, after their call."""
    called: set[str] = set()
    for spot in spots:
        if spot.type in SERVER_CALLS:
            called.add(text_of(spot.block.get("id")))
        elif spot.type.endswith("_tool_result") and text_of(spot.block.get("tool_use_id")) not in called:
            yield spot


def pending_server_calls(sections: list[RoleSection]) -> Iterator[BlockSpot]:
    """Calls of server tools without a result, whose turn is over.

    A turn goes on as long as the user sends only results of other calls; until then the server may still answer.
    """
    spots = [spot for section in sections for spot in spots_of(section)]
    answered = {text_of(spot.block.get("tool_use_id")) for spot in spots if spot.type.endswith("_tool_result")}
    going_on = True
    for section in reversed(sections):
        if section[0].role == "user":
            going_on = going_on and all(spot.type == "tool_result" for spot in spots_of(section))
        elif not going_on:
            calls = spots_of(section, *SERVER_CALLS)
            yield from (call for call in calls if text_of(call.block.get("id")) not in answered)


def has_valid_name(call: BlockSpot) -> bool:
    return bool(NAME.fullmatch(text_of(call.block.get("name"))))


def _check_ids(request: ParsedRequest) -> Iterator[Finding]:
    ids: set[str] = set()
    for spot in request.spots:
        if spot.type == "tool_use":
            name = text_of(spot.block.get("id"))
            if not ID.fullmatch(name):
                yield Finding(
                    "call-id",
                    Severity.REFUSED,
                    spot.path,
                    "A call needs an id of letters, digits, - and _.",
                    "Give the call and its result such an id.",
                    f"{spot.api_path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
                )
            elif name in ids:
                yield Finding(
                    "duplicate-call",
                    Severity.REFUSED,
                    spot.path,
                    f"An earlier call has the id {name} as well.",
                    "Leave out one of the two, with its result.",
                    f"{spot.api_path}: `tool_use` ids must be unique",
                )
            ids.add(name)


def _check_names(request: ParsedRequest) -> Iterator[Finding]:
    for spot in request.spots:
        if spot.type == "tool_use" and not has_valid_name(spot):
            is_named = "name" in spot.block
            words = "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'" if is_named else "Field required"
            yield Finding(
                "call-name",
                Severity.REFUSED,
                spot.path,
                "A call needs the name of a tool: 1 to 128 letters, digits, - and _.",
                "Name the tool, or leave the call out with its result.",
                f"{spot.api_path}.tool_use.name: {words}",
            )


def _check_roles(request: ParsedRequest) -> Iterator[Finding]:
    for row in request.rows:
        for spot in row.spots:
            belongs = "user" if spot.type == "tool_result" else "assistant"
            if spot.type in (*ANSWER_BLOCKS, "tool_result") and row.role != belongs:
                yield Finding(
                    "wrong-role",
                    Severity.REFUSED,
                    spot.path,
                    f"A block of the type {spot.type} cannot stand in a message of the role {row.role}.",
                    f"Move it to a message of the role {belongs}, or leave it out.",
                    ""
                    if spot.type in SERVER_CALLS
                    else f"{spot.api_path}: `{spot.type}` blocks can only be in `{belongs}` messages",
                )


def _check_unanswered(section: RoleSection, after: RoleSection) -> Iterator[Finding]:
    answered = {text_of(spot.block.get("tool_use_id")) for spot in results_of(after)} - {""} if after else set()
    for spot in calls_of(section):
        name = text_of(spot.block.get("id"))
        if name not in answered:
            yield Finding(
                "unanswered-call",
                Severity.REFUSED,
                spot.path,
                f"The call {name} has no result in the next message.",
                "Put its result, or a placeholder for it, first in the next user message.",
                f"messages.{spot.message}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{name}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
            )


def _check_unexpected(section: RoleSection, before: RoleSection) -> Iterator[Finding]:
    called = {text_of(spot.block.get("id")) for spot in calls_of(before)} - {""} if before else set()
    results = results_of(section)
    result_counts: Counter[str] = Counter()
    for spot in results:
        name = text_of(spot.block.get("tool_use_id"))
        result_counts[name] += 1
        if name not in called:
            yield Finding(
                "unexpected-result",
                Severity.REFUSED,
                spot.path,
                f"The message before has no call {name}.",
                "Leave the result out, or keep its call in the message before.",
                f"{spot.api_path}: unexpected `tool_use_id` found in `tool_result` blocks: {name}. Each `tool_result` "
                "block must have a corresponding `tool_use` block in the previous message.",
            )
        elif result_counts[name] == 2:
            yield Finding(
                "duplicate-result",
                Severity.REFUSED,
                spot.path,
                f"The call {name} has several results.",
                "Keep one of them.",
                f"{spot.api_path}: each tool_use must have a single result. Found multiple `tool_result` blocks with "
                f"id: {name}",
            )


def _check_server_results(request: ParsedRequest) -> Iterator[Finding]:
    for spot in orphaned_server_results(request.spots):
        name = text_of(spot.block.get("tool_use_id"))
        yield Finding(
            "unexpected-server-result",
            Severity.REFUSED,
            spot.path,
            f"No call of a server tool before this result has the id {name}.",
            "Leave the result out, or keep its call.",
            f"{spot.api_path}: unexpected `tool_use_id` found in `{spot.type}` blocks: {name}. Each `{spot.type}` "
            "block must have a corresponding `server_tool_use` block before it.",
        )


def _check_server_calls(request: ParsedRequest) -> Iterator[Finding]:
    for spot in pending_server_calls(request.sections):
        name, tool = text_of(spot.block.get("id")), text_of(spot.block.get("name"))
        yield Finding(
            "unanswered-server-call",
            Severity.REFUSED,
            spot.path,
            f"The server tool {tool} was called as {name}, and no result follows.",
            "Leave the call out, or keep its result.",
            f"messages.{spot.message}: `{tool}` tool use with id `{name}` was found without a corresponding "
            f"`{tool}_tool_result` block"
            if spot.type == "server_tool_use"
            else "",
        )
