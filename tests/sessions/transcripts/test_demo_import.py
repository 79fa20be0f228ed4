"""The demo as the product imports it, against what its writer counted."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from pytest_django.plugin import DjangoDbBlocker

from sessions.agents.engine import AgentState
from sessions.agents.selectors.tree import load_agents
from sessions.archive.selectors.records import Reader
from sessions.imports.services.report import Report
from sessions.models import Entry, Mark, Oddity, Problem, Request, Source, Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.marks import Fate
from tests.demo import names
from tests.demo.reading import blocks, records
from tests.importing import imported
from tests.pages import tight

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("demo")]

LABELS = names.labels()
COPIED = 99
"""Rows that the fork has of the long session: all before its first own, but the first state record."""


@pytest.fixture(scope="module")
def demo(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Report]:
    with imported(django_db_blocker, names.ROOT) as report:
        yield report


def transcript(label: str) -> Transcript:
    return Transcript.objects.get(source__path=str(names.expected(label).path))


def entries(label: str) -> list[Entry]:
    base = transcript(label).pk << POSITION_BITS
    return list(Entry.objects.filter(pk__gte=base, pk__lt=base + (1 << POSITION_BITS)).order_by("pk"))


def flagged(label: str, flag: Flag) -> list[int]:
    return [entry.position for entry in entries(label) if entry.flags & flag]


def fates(label: str) -> dict[int, set[tuple[str, int | None]]]:
    values: dict[int, set[tuple[str, int | None]]] = {}
    for mark in Mark.objects.filter(transcript=transcript(label)):
        for position in range(mark.first, mark.last + 1):
            values.setdefault(position, set()).add((mark.fate, mark.by))
    return values


def position_of(label: str, name: str) -> int:
    return names.point(label, name).position


def fate_of(label: str, name: str) -> set[tuple[str, int | None]]:
    return fates(label).get(position_of(label, name), set())


def kept_uuids(label: str, boundary: str) -> list[str]:
    rows = {row.get("uuid"): row for row in records(names.expected(label).path)}
    kept: list[str] = rows[names.uuid(label, boundary)]["compactMetadata"]["preservedMessages"]["uuids"]
    return kept


def positions(label: str, uuids: list[str]) -> list[int]:
    """Of the first row with each uuid."""
    where: dict[str, int] = {}
    for position, row in enumerate(records(names.expected(label).path)):
        where.setdefault(row.get("uuid", ""), position)
    return [where[uuid] for uuid in uuids]


def test_every_line_is_accounted_for(demo: Report) -> None:
    expected = [names.expected(label) for label in LABELS]
    assert demo.lines == sum(item.lines for item in expected)
    assert demo.bad_lines == sum(item.problems for item in expected)
    assert demo.entries == demo.lines - demo.bad_lines
    assert demo.entries + demo.recovered_entries == sum(item.records for item in expected) == Entry.objects.count()
    assert (demo.failed, demo.skipped) == ([], [])


@pytest.mark.parametrize("label", LABELS)
def test_every_byte_is_in_the_archive(label: str) -> None:
    source = transcript(label).source
    assert Reader(source.pk).read(0, source.archived) == names.expected(label).path.read_bytes()


@pytest.mark.parametrize("label", LABELS)
def test_every_record_is_an_entry_at_its_place(label: str) -> None:
    expected = names.expected(label)
    result = entries(label)
    reader = Reader(transcript(label).source_id)
    assert [entry.position for entry in result] == list(range(expected.records))
    assert {kind: sum(entry.type == kind for entry in result) for kind in expected.types} == expected.types
    uuids = [reader.record(entry.offset, entry.length).get("uuid") for entry in result]
    assert uuids == [row.get("uuid") for row in records(expected.path)]


@pytest.mark.parametrize("label", LABELS)
def test_usage_is_counted_once_and_by_the_file_that_owns_it(label: str) -> None:
    expected, result = names.expected(label), transcript(label)
    written = result.cache_write_5m + result.cache_write_1h
    own = names.Totals(result.requests, result.input, result.output, written, result.cache_read)
    assert own == expected.own
    assert Request.objects.filter(transcript=result, owned=False).count() == expected.copied.requests
    rows = Request.objects.filter(transcript=result, owned=True)
    models = {model: names.Totals(0, 0, 0, 0, 0) for model in expected.models}
    for row in rows:
        sum_ = models[row.model]
        models[row.model] = names.Totals(
            sum_.requests + 1,
            sum_.input + row.input,
            sum_.output + row.output,
            sum_.cache_write + row.cache_write_5m + row.cache_write_1h,
            sum_.cache_read + row.cache_read,
        )
    assert models == expected.models


@pytest.mark.parametrize("label", LABELS)
def test_the_largest_context_is_found(label: str) -> None:
    assert transcript(label).peak_context == names.expected(label).peak_context


@pytest.mark.parametrize("label", LABELS)
def test_what_was_typed_is_counted(label: str) -> None:
    assert transcript(label).typed == names.expected(label).prompts


@pytest.mark.parametrize("label", LABELS)
def test_compactions_are_counted(label: str) -> None:
    expected, result = names.expected(label), transcript(label)
    assert result.compactions == len(result.ruler["boundaries"]) == expected.compactions


@pytest.mark.parametrize("label", LABELS)
def test_calls_are_counted(label: str) -> None:
    assert transcript(label).calls == names.expected(label).tool_calls


@pytest.mark.parametrize("label", LABELS)
def test_failed_calls_api_errors_and_complaining_hooks_are_errors(label: str) -> None:
    expected = names.expected(label)
    hooks = [
        row
        for row in records(expected.path)
        if row["type"] == "attachment"
        and row["attachment"]["type"].startswith("hook_")
        and "error" in str(row["attachment"]["type"])
    ]
    assert transcript(label).errors == expected.tool_errors + expected.api_errors + len(hooks)


def test_a_sub_agent_begins_with_a_turn_although_nobody_typed() -> None:
    agent = transcript("survey/constants")
    assert agent.turns == 1
    assert flagged("survey/constants", Flag.TYPED) == []
    assert agent.first_prompt


def test_the_snipped_turn_is_marked() -> None:
    rows = {row.get("uuid"): row for row in records(names.expected("long").path)}
    removed = rows[names.uuid("long", "snip")]["snipMetadata"]["removedUuids"]
    marked = [
        position for position, result in fates("long").items() if (Fate.SNIPPED, position_of("long", "snip")) in result
    ]
    assert marked == sorted(positions("long", removed))
    assert position_of("long", "fonts") in marked


def test_cleared_results_are_marked_and_keep_their_text() -> None:
    boundary = position_of("long", "cleared results")
    rows = records(names.expected("long").path)
    ids = rows[boundary]["microcompactMetadata"]["compactedToolIds"]
    results = [
        position
        for position, row in enumerate(rows)
        if any(block.get("type") == "tool_result" and block["tool_use_id"] in ids for block in blocks(row))
    ]
    assert [position for position, result in fates("long").items() if (Fate.CLEARED, boundary) in result] == results
    assert len(results) == 3


def test_the_persisted_result_is_marked_and_its_file_is_in_the_archive() -> None:
    replaced = position_of("long", "content replacement")
    assert (Fate.PERSISTED, replaced) in fates("long")[position_of("long", "year report result")]
    assert flagged("long", Flag.PERSISTED) == [position_of("long", "year report result")]
    spilled = Source.objects.get(kind=Source.Kind.RESULT)
    assert spilled.owner == transcript("long")
    assert b"bathymetry" in Reader(spilled.pk).read(0, spilled.archived)


def test_the_branch_that_was_left_is_abandoned_and_the_other_is_not() -> None:
    instead = position_of("long", "instead")
    assert (Fate.ABANDONED, instead) in fate_of("long", "rename")
    assert (Fate.ABANDONED, instead) in fate_of("long", "rename is large")
    assert (Fate.SUMMARISED, position_of("long", "manual boundary")) in fate_of("long", "instead")
    assert (Fate.SUMMARISED, position_of("long", "manual boundary")) in fate_of("long", "shell line output")


def test_variant_a_what_a_boundary_kept_is_marked_as_kept() -> None:
    boundary = position_of("long", "auto boundary")
    kept = positions("long", kept_uuids("long", "auto boundary"))
    result = fates("long")
    assert [position for position in sorted(result) if (Fate.KEPT, boundary) in result[position]] == sorted(kept)
    assert (Fate.SUMMARISED, boundary) in result[min(kept) - 1]


def test_what_a_boundary_kept_may_be_summarised_by_the_next() -> None:
    later = position_of("long", "auto boundary")
    result = fates("long")
    for position in positions("long", kept_uuids("long", "manual boundary")):
        assert (Fate.SUMMARISED, later) in result[position]
    assert (Fate.SUMMARISED, position_of("long", "manual boundary")) in fate_of("long", "first prompt")


def test_variant_b_what_a_boundary_kept_is_marked_although_the_rest_hangs_on_it() -> None:
    boundary = position_of("fork", "fork manual boundary")
    kept = positions("fork", kept_uuids("fork", "fork manual boundary"))
    result = fates("fork")
    assert [position for position in sorted(result) if (Fate.KEPT, boundary) in result[position]] == sorted(kept)
    assert (Fate.SUMMARISED, boundary) in fate_of("fork", "fork prompt")
    assert not fate_of("fork", "fork manual command")


def test_variant_c_rows_that_were_written_again_are_duplicates_and_the_first_are_kept() -> None:
    boundary = position_of("sibling", "sibling boundary")
    kept = positions("sibling", kept_uuids("sibling", "sibling boundary"))
    result = fates("sibling")
    assert [position for position in sorted(result) if (Fate.KEPT, boundary) in result[position]] == sorted(kept)
    first = position_of("sibling", "sibling summary") + 1
    assert flagged("sibling", Flag.DUPLICATE) == list(range(first, first + len(kept)))
    assert (Fate.SUMMARISED, boundary) in fate_of("sibling", "sibling task")


def test_a_compaction_without_a_boundary_summarises_what_stands_before_it() -> None:
    assert (Fate.SUMMARISED, position_of("old", "old summary")) in fate_of("old", "first todos")
    assert flagged("old", Flag.SUMMARY) == [position_of("old", "old summary")]


def test_a_collapsed_stretch_is_marked() -> None:
    assert (Fate.COLLAPSED, position_of("survey", "collapse")) in fate_of("survey", "start constants")


def test_agents_hang_below_who_started_them() -> None:
    tree = [(agent.key, agent.depth, agent.caller.agent_id, agent.call) for agent in load_agents(transcript("survey"))]
    constants, nested = names.AGENT_CONSTANTS, names.AGENT_TABLE_FOUR
    assert sorted(tree) == sorted(
        [
            (constants, 1, "", position_of("survey", "start constants")),
            (nested, 2, constants, position_of("survey/constants", "asks for table four")),
            (names.AGENT_HEIGHTS, 1, "", position_of("survey", "start heights")),
            (names.AGENT_NOTE, 1, "", position_of("survey", "start note")),
        ]
    )
    assert [node[0] for node in tree].index(nested) == [node[0] for node in tree].index(constants) + 1


def test_an_agent_beside_its_session_belongs_to_it() -> None:
    (agent,) = load_agents(transcript("sibling"))
    assert (agent.key, agent.call) == (names.AGENT_LARGEST, position_of("sibling", "sibling task"))
    assert agent.outcome.state is AgentState.ENDED
    assert agent.outcome.spot is not None
    assert agent.outcome.spot.position == agent.result
    assert (agent.type, agent.description) == ("general-purpose", "Largest tides")


def test_an_agent_inside_its_session_is_found_in_it() -> None:
    (agent,) = load_agents(transcript("old"))
    assert (agent.start, agent.end) == (position_of("old", "sidechain root"), position_of("old", "sidechain report"))
    assert agent.call == position_of("old", "task")
    assert agent.outcome.state is AgentState.ENDED
    assert agent.spend.requests == len(agent.inline.requests if agent.inline else ()) > 0


def test_each_agent_says_how_it_ended() -> None:
    ended = {agent.key: agent.outcome.state for agent in load_agents(transcript("survey"))}
    assert ended == {
        names.AGENT_CONSTANTS: AgentState.ENDED,
        names.AGENT_TABLE_FOUR: AgentState.ENDED,
        names.AGENT_HEIGHTS: AgentState.ENDED,
        names.AGENT_NOTE: AgentState.FAILED,
    }


def test_the_fork_knows_its_origin_and_what_it_copied() -> None:
    fork = transcript("fork")
    assert fork.forked_from == transcript("long")
    assert fork.copies == len(flagged("fork", Flag.COPY)) == COPIED
    assert max(flagged("fork", Flag.COPY)) < position_of("fork", "fork prompt")
    assert flagged("long", Flag.COPY) == []
    assert fork.continued_in == names.CLEARED


def test_titles_are_those_that_the_files_give() -> None:
    assert transcript("long").title == "Fix the clock-change hole, add spring and neap alerts"
    assert transcript("old").title == "Docstrings for tidewatch"


def test_broken_lines_are_reported_where_they_stand() -> None:
    lines = names.expected("odd").odd_lines
    values = dict(Problem.objects.filter(transcript=transcript("odd")).values_list("line", "kind"))
    assert values == {
        lines["glued"]: "glued",
        lines["truncated then whole"]: "truncated",
        lines["nul run"]: "nul",
        lines["numeric keys"]: "numbered",
        lines["lone surrogate"]: "encoding",
        lines["partial last line"]: "partial",
    }
    assert Problem.objects.count() == len(values)


def test_what_is_unknown_is_counted_by_name() -> None:
    items = set(Oddity.objects.values_list("what", "name", "count"))
    assert items == {
        ("type", "tide-signal", 1),
        ("key", "user.moonPhase", 1),
        ("block", "hologram", 1),
        ("subtype", "tide_turned", 1),
        ("attachment", "barometer", 1),
    }


def test_a_session_after_clear_leads_back_to_the_one_before(demo: Report, client: Client) -> None:
    forward = tight(client.get(f"/sessions/{names.FORK}/").content.decode())
    back = tight(client.get(f"/sessions/{names.CLEARED}/").content.decode())

    assert f'href="/sessions/{names.CLEARED}/">→ continued in' in forward
    assert f'href="/sessions/{names.FORK}/">← continues' in back
