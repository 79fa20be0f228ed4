"""Puts the result of each call right after it: one that is elsewhere, or a placeholder."""

from __future__ import annotations

import re
from dataclasses import replace
from hashlib import blake2b
from itertools import pairwise

from sessions.lint.engine.repairs.draft import Draft
from sessions.lint.engine.request_reader import BlockSpot, MessageRow, RoleSection, pair_with_next, text_of
from sessions.lint.engine.rules.order import late_results
from sessions.lint.engine.rules.pairing import ID, calls_of, has_valid_name, pending_server_calls, results_of

_REFUSED_CHARACTERS = re.compile(r"[^a-zA-Z0-9_-]")
_MAX_NAME = 128
NO_RESULT = "[the result of this call is not part of this conversation]"


def repair_calls(draft: Draft) -> None:
    _respell_names(draft)
    _drop_unusable(draft)
    sections = draft.sections
    placed, missing = _match_results(sections)
    elsewhere = _find_elsewhere(sections, placed, {_call_id(call) for _, _, calls in missing for call in calls})
    needed = placed | {id(spot) for spot in elsewhere.values()}
    lost = [spot for section in sections for spot in results_of(section) if id(spot) not in needed]
    draft.drop_spots(lost, "The message before has no call for it, or has its result already.")
    for section, after, calls in missing:
        _add_results(draft, section, after, calls, elsewhere)


def repair_roles(draft: Draft) -> None:
    """Move results out of answers to a user message after their call, if it has no other result."""
    misplaced: dict[str, BlockSpot] = {}
    answered: set[str] = set()
    for row in draft.rows:
        for spot in row.spots:
            if spot.type == "tool_result" and row.role == "user":
                answered.add(_call_id(spot))
            elif spot.type == "tool_result":
                misplaced.setdefault(_call_id(spot), spot)
    for row in list(draft.rows) if misplaced else ():
        names = [_call_id(call) for call in calls_of([row]) if _call_id(call) not in answered]
        results = [misplaced.pop(name) for name in names if name in misplaced]
        if results:
            draft.remove(results)
            draft.insert_after(row, results)
            _note_moved(draft, results)


def repair_order(draft: Draft) -> None:
    """Put results first. Joining sorts records, except across messages of the role `system`."""
    before: RoleSection = []
    for section in draft.sections:
        late = late_results(section)
        if draft.is_records:
            late = _results_after_system(draft, section) if late else []
        if late:
            _note_moved(draft, late)
            if draft.is_records and before:
                draft.remove(late)
                draft.insert_after(_first_of_answer(before), late)
            elif not draft.is_records:
                results = results_of(section)
                draft.remove(results)
                section[0].spots[:0] = results
        before = section


def _respell_names(draft: Draft) -> None:
    """Replace characters in ids and names that the API refuses; other providers use them."""
    calls = [call for row in draft.rows for call in calls_of([row])]
    ids = {
        _call_id(call): _respelled_id(_call_id(call))
        for call in calls
        if _call_id(call) and not ID.fullmatch(_call_id(call))
    }
    for row in draft.rows:
        for index, spot in enumerate(row.spots):
            changes: dict[str, str] = {}
            if spot.type in ("tool_use", "tool_result") and _call_id(spot) in ids:
                changes["id" if spot.type == "tool_use" else "tool_use_id"] = ids[_call_id(spot)]
            if spot.type == "tool_use" and text_of(spot.block.get("name")) and not has_valid_name(spot):
                changes["name"] = _REFUSED_CHARACTERS.sub("_", spot.block["name"])[:_MAX_NAME]
            if changes:
                row.spots[index] = replace(spot, block={**spot.block, **changes})
                message = f"Spelled the {' and the '.join(changes)} with other characters."
                draft.note(spot.path, message, "The API takes letters, digits, - and _.")


def _respelled_id(name: str) -> str:
    """A valid id; different ids stay different."""
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{_REFUSED_CHARACTERS.sub('_', name)}-{digest}"


def _drop_unusable(draft: Draft) -> None:
    ids: set[str] = set()
    unusable, repeated = [], []
    for section in draft.sections:
        for call in calls_of(section):
            if not ID.fullmatch(_call_id(call)) or not has_valid_name(call):
                unusable.append(call)
            elif _call_id(call) in ids:
                repeated.append(call)
            ids.add(_call_id(call))
    draft.drop_spots(unusable, "It has no id or no name that the API takes.")
    draft.drop_spots(repeated, "An earlier call has the same id.")
    draft.drop_spots(pending_server_calls(draft.sections), "No result of the server follows it.")


def _match_results(
    sections: list[RoleSection],
) -> tuple[set[int], list[tuple[RoleSection, RoleSection, list[BlockSpot]]]]:
    """The results that are in the right place, and the calls without a result after them."""
    placed: set[int] = set()
    missing = []
    for section, after in pair_with_next(sections):
        calls = calls_of(section)
        names = {_call_id(call) for call in calls}
        answers: dict[str, BlockSpot] = {}
        for result in results_of(after) if after else []:
            answers.setdefault(_call_id(result), result)
        placed |= {id(result) for name, result in answers.items() if name in names}
        unanswered = [call for call in calls if _call_id(call) not in answers]
        if unanswered:
            missing.append((section, after, unanswered))
    return placed, missing


def _find_elsewhere(sections: list[RoleSection], placed: set[int], call_ids: set[str]) -> dict[str, BlockSpot]:
    results: dict[str, BlockSpot] = {}
    for section in sections:
        for result in results_of(section):
            if id(result) not in placed and _call_id(result) in call_ids:
                results.setdefault(_call_id(result), result)
    return results


def _add_results(
    draft: Draft, section: RoleSection, after: RoleSection, calls: list[BlockSpot], elsewhere: dict[str, BlockSpot]
) -> None:
    end = _end_of_answer(section, calls)
    answered = {id(spot) for row in section[: end + 1] for spot in row.spots}
    calls = [call for call in calls if id(call) in answered]
    moved = [elsewhere[_call_id(call)] for call in calls if _call_id(call) in elsewhere]
    draft.remove(moved)
    _note_moved(draft, moved)
    results = []
    for call in calls:
        result = elsewhere.get(_call_id(call))
        if result is None:
            result = BlockSpot(call.message, call.index, _placeholder(_call_id(call)))
            draft.note(call.path, "Added a placeholder for the result of this call.", "No result follows it.")
        results.append(result)
    if after and not draft.is_records and end == len(section) - 1:
        row = after[0]
        leading = next((index for index, spot in enumerate(row.spots) if spot.type != "tool_result"), len(row.spots))
        row.spots[leading:leading] = results
    else:
        draft.insert_after(section[end], results)


def _end_of_answer(section: RoleSection, missing: list[BlockSpot]) -> int:
    """The row after which the results go. If neighbours are different answers and the first has no results, the message
    between them is missing."""
    unanswered = {id(call) for call in missing}
    end = len(section) - 1
    for index, (row, following) in enumerate(pairwise(section)):
        calls = calls_of([row])
        if any(id(call) not in unanswered for call in calls):
            break
        if calls and (not row.response or row.response != following.response):
            end = index
            break
    return end


def _first_of_answer(section: RoleSection) -> MessageRow:
    """The first record of the last answer. Its other records may come after what is inserted: they are joined."""
    response = section[-1].response
    return next(row for row in section if row.response == response) if response else section[-1]


def _results_after_system(draft: Draft, section: RoleSection) -> list[BlockSpot]:
    """Results after a system message that follows something other than results."""
    other, barred = False, False
    members = {id(row) for row in section}
    late: list[BlockSpot] = []
    for row in draft.rows:
        if row.role == "system" and row.spots:
            barred = barred or other
        elif id(row) in members:
            late += [spot for spot in row.spots if barred and spot.type == "tool_result"]
            other = other or any(spot.type != "tool_result" for spot in row.spots)
    return late


def _note_moved(draft: Draft, spots: list[BlockSpot]) -> None:
    for spot in spots:
        draft.note(spot.path, "Moved a result to the beginning of the message after its call.", "It stood elsewhere.")


def _placeholder(name: str) -> dict[str, object]:
    return {"type": "tool_result", "tool_use_id": name, "content": NO_RESULT, "is_error": True}


def _call_id(spot: BlockSpot) -> str:
    return text_of(spot.block.get("id") if spot.type == "tool_use" else spot.block.get("tool_use_id"))
