"""Each call gets its result right after it: the one that stands elsewhere, or a placeholder."""

from __future__ import annotations

import re
from dataclasses import replace
from hashlib import blake2b
from itertools import pairwise

from sessions.lint.engine.mending.draft import Draft
from sessions.lint.engine.reading import (
    Row,
    Section,
    Spot,
    followed,
    text_of,
)
from sessions.lint.engine.rules.order import late_results
from sessions.lint.engine.rules.pairing import (
    ID,
    calls_of,
    has_a_name,
    pending_server_calls,
    results_of,
)

_UNTAKEN = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_NAME = 128
NO_RESULT = "[the result of this call is not part of this conversation]"


def mend_calls(draft: Draft) -> None:
    _respell(draft)
    _drop_unusable(draft)
    sections = draft.sections
    placed, missing = _look(sections)
    elsewhere = _elsewhere(sections, placed, {_name(call) for _, _, calls in missing for call in calls})
    kept = placed | {id(spot) for spot in elsewhere.values()}
    lost = [spot for section in sections for spot in results_of(section) if id(spot) not in kept]
    draft.drop_spots(lost, "The message before has no call for it, or has its result already.")
    for section, after, calls in missing:
        _give(draft, section, after, calls, elsewhere)


def mend_roles(draft: Draft) -> None:
    """A result that stands in an answer goes to a user message after its call, if that has no other."""
    misplaced: dict[str, Spot] = {}
    answered: set[str] = set()
    for row in draft.rows:
        for spot in row.spots:
            if spot.type == "tool_result" and row.role == "user":
                answered.add(_name(spot))
            elif spot.type == "tool_result":
                misplaced.setdefault(_name(spot), spot)
    for row in list(draft.rows) if misplaced else ():
        names = [_name(call) for call in calls_of([row]) if _name(call) not in answered]
        found = [misplaced.pop(name) for name in names if name in misplaced]
        if found:
            draft.take(found)
            draft.insert_after(row, found)
            _say_moved(draft, found)


def mend_order(draft: Draft) -> None:
    """Results first. Records need that only across messages of the role system: else joining them sorts."""
    before: Section = []
    for section in draft.sections:
        late = late_results(section)
        if draft.recorded:
            late = _behind_system(draft, section) if late else []
        if late:
            _say_moved(draft, late)
            if draft.recorded and before:
                draft.take(late)
                draft.insert_after(_first_of_answer(before), late)
            elif not draft.recorded:
                results = results_of(section)
                draft.take(results)
                section[0].spots[:0] = results
        before = section


def _respell(draft: Draft) -> None:
    """Other providers write ids and names with characters that this API refuses: no reason to lose what was called."""
    calls = [call for row in draft.rows for call in calls_of([row])]
    ids = {_name(call): _spelled(_name(call)) for call in calls if _name(call) and not ID.fullmatch(_name(call))}
    for row in draft.rows:
        for at, spot in enumerate(row.spots):
            changes: dict[str, str] = {}
            if spot.type in ("tool_use", "tool_result") and _name(spot) in ids:
                changes["id" if spot.type == "tool_use" else "tool_use_id"] = ids[_name(spot)]
            if spot.type == "tool_use" and text_of(spot.block.get("name")) and not has_a_name(spot):
                changes["name"] = _UNTAKEN.sub("_", spot.block["name"])[:_LONGEST_NAME]
            if changes:
                row.spots[at] = replace(spot, block={**spot.block, **changes})
                what = f"Spelled the {' and the '.join(changes)} with other characters."
                draft.say(spot.path, what, "The API takes letters, digits, - and _.")


def _spelled(name: str) -> str:
    """Different ids stay different."""
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{_UNTAKEN.sub('_', name)}-{digest}"


def _drop_unusable(draft: Draft) -> None:
    seen: set[str] = set()
    unusable, repeated = [], []
    for section in draft.sections:
        for call in calls_of(section):
            if not ID.fullmatch(_name(call)) or not has_a_name(call):
                unusable.append(call)
            elif _name(call) in seen:
                repeated.append(call)
            seen.add(_name(call))
    draft.drop_spots(unusable, "It has no id or no name that the API takes.")
    draft.drop_spots(repeated, "An earlier call has the same id.")
    draft.drop_spots(pending_server_calls(draft.sections), "No result of the server follows it.")


def _look(sections: list[Section]) -> tuple[set[int], list[tuple[Section, Section, list[Spot]]]]:
    """Which results are where they belong, and which calls have none after them."""
    placed: set[int] = set()
    missing = []
    for section, after in followed(sections):
        calls = calls_of(section)
        names = {_name(call) for call in calls}
        answers: dict[str, Spot] = {}
        for result in results_of(after) if after else []:
            answers.setdefault(_name(result), result)
        placed |= {id(result) for name, result in answers.items() if name in names}
        unanswered = [call for call in calls if _name(call) not in answers]
        if unanswered:
            missing.append((section, after, unanswered))
    return placed, missing


def _elsewhere(sections: list[Section], placed: set[int], wanted: set[str]) -> dict[str, Spot]:
    found: dict[str, Spot] = {}
    for section in sections:
        for result in results_of(section):
            if id(result) not in placed and _name(result) in wanted:
                found.setdefault(_name(result), result)
    return found


def _give(draft: Draft, section: Section, after: Section, calls: list[Spot], elsewhere: dict[str, Spot]) -> None:
    end = _end_of_answer(section, calls)
    answered = {id(spot) for row in section[: end + 1] for spot in row.spots}
    calls = [call for call in calls if id(call) in answered]
    moved = [elsewhere[_name(call)] for call in calls if _name(call) in elsewhere]
    draft.take(moved)
    _say_moved(draft, moved)
    given = []
    for call in calls:
        result = elsewhere.get(_name(call))
        if result is None:
            result = Spot(call.message, call.at, _placeholder(_name(call)))
            draft.say(call.path, "Added a placeholder for the result of this call.", "No result follows it.")
        given.append(result)
    if after and not draft.recorded and end == len(section) - 1:
        row = after[0]
        leading = next((at for at, spot in enumerate(row.spots) if spot.type != "tool_result"), len(row.spots))
        row.spots[leading:leading] = given
    else:
        draft.insert_after(section[end], given)


def _end_of_answer(section: Section, missing: list[Spot]) -> int:
    """After which row the results go: if neighbours are different answers, and nothing of the first is answered, then
    what stood between them is gone."""
    unanswered = {id(call) for call in missing}
    end = len(section) - 1
    for at, (row, following) in enumerate(pairwise(section)):
        calls = calls_of([row])
        if any(id(call) not in unanswered for call in calls):
            break
        if calls and (not row.response or row.response != following.response):
            end = at
            break
    return end


def _first_of_answer(section: Section) -> Row:
    """Records of an answer may go on after what is put here: they are joined."""
    response = section[-1].response
    return next(row for row in section if row.response == response) if response else section[-1]


def _behind_system(draft: Draft, section: Section) -> list[Spot]:
    """Results in records after a system message that follows something else than results."""
    other, barred = False, False
    members = {id(row) for row in section}
    late: list[Spot] = []
    for row in draft.rows:
        if row.role == "system" and row.spots:
            barred = barred or other
        elif id(row) in members:
            late += [spot for spot in row.spots if barred and spot.type == "tool_result"]
            other = other or any(spot.type != "tool_result" for spot in row.spots)
    return late


def _say_moved(draft: Draft, spots: list[Spot]) -> None:
    for spot in spots:
        draft.say(spot.path, "Moved a result to the beginning of the message after its call.", "It stood elsewhere.")


def _placeholder(name: str) -> dict[str, object]:
    return {"type": "tool_result", "tool_use_id": name, "content": NO_RESULT, "is_error": True}


def _name(spot: Spot) -> str:
    return text_of(spot.block.get("id") if spot.type == "tool_use" else spot.block.get("tool_use_id"))
