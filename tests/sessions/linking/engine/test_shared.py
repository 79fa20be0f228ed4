from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessions.linking.engine import (
    AgentFacts,
    Branch,
    Evidence,
    LinkedTranscript,
    LinkState,
    Sighting,
    advance,
    build_agent_tree,
    find_sightings,
    link,
)
from sessions.transcripts.engine.marks import Fate
from sessions.transcripts.engine.roles import FileKind, classify
from tests.samples import SHARED, each, needs_samples, transcripts
from tests.sessions.linking.engine.log import marks
from tests.sessions.linking.engine.shared import link_rows, records

pytestmark = needs_samples

FILES = [*transcripts("corpus"), *transcripts("realclient")]


def client(name: str) -> Path:
    return max((SHARED / "realclient" / name / "projects").glob("*/*.jsonl"), key=lambda path: path.stat().st_size)


def linked(path: Path) -> LinkedTranscript:
    return link(link_rows(path))


@pytest.mark.parametrize("path", each(FILES), ids=lambda path: path.stem[:12])
def test_real_files_link_without_an_explosion(path: Path) -> None:
    rows = link_rows(path)
    result = link(rows)
    chain = [row for row in rows if row.uuid is not None]

    assert result.dangling <= 1
    assert result.cycles == 0
    assert (result.leaf is None) == (not chain)
    if "rewind_restore" not in path.parts:
        assert not marks(result, Fate.ABANDONED)
        assert not result.branches


@pytest.mark.parametrize("path", each(FILES), ids=lambda path: path.stem[:12])
def test_real_files_followed_in_steps_end_like_the_whole(path: Path) -> None:
    rows = link_rows(path)[:1200]
    whole = link(rows)
    step = max(1, len(rows) // 12)
    known = link(rows[:step])
    state: LinkState | None = known.state
    for begin in range(step, len(rows), step):
        above = {row.uuid for row in rows[:begin]}
        new = rows[begin : begin + step]
        state = advance(state, new, {row.uuid for row in new if row.uuid in above}) if state is not None else None
        if state is None:
            known = link(rows[: begin + step])
            state = known.state

    assert known.marks == whole.marks
    assert known.parents == whole.parents


def test_a_recorded_rewind_has_exactly_its_branch() -> None:
    result = linked(client("rewind_restore"))

    assert marks(result) == [(63, 87, "abandoned", 88)]
    assert result.branches == (Branch(60, 63, 87, 13, active=False), Branch(60, 88, 106, 10, active=True))
    assert result.leaf == 106


def test_a_recorded_partial_compaction_keeps_what_follows_its_pivot() -> None:
    result = linked(client("rewind_summarize_upto"))

    assert marks(result) == [(5, 60, "summarised", 89), (61, 84, "kept", 89)]
    assert result.parents == {61: 90, 91: 84}


def test_recorded_compactions_keep_their_segments() -> None:
    assert marks(linked(client("manual_compact"))) == [
        (5, 76, "summarised", 89),
        (78, 148, "summarised", 156),
        (149, 150, "kept", 156),
    ]
    assert marks(linked(client("errors"))) == [
        (2, 61, "summarised", 97),
        (63, 84, "summarised", 129),
        (86, 91, "kept", 129),
        (97, 101, "summarised", 129),
        (102, 109, "kept", 129),
    ]


def test_recorded_compactions_of_an_old_client_are_chained() -> None:
    result = linked(client("autocompact_pct-v2076"))

    assert len(result.marks) == 15
    assert all(mark.fate is Fate.SUMMARISED and mark.by == mark.last + 1 for mark in result.marks)


def test_microcompacted_results_are_cleared() -> None:
    path = next(path for path in FILES if path.name.startswith("839b35f7"))
    cleared = marks(linked(path), Fate.CLEARED)

    assert {by for *_, by in cleared} == {339, 585}
    assert all(last < 585 for _, last, *_ in cleared)


def test_inline_agents_of_an_old_file_are_matched_to_their_calls() -> None:
    path = next(path for path in FILES if path.name.startswith("fe5e1c67"))

    assert [(agent.root, agent.call, agent.size) for agent in linked(path).inline_agents] == [
        (15, 14, 21),
        (37, 12, 86),
        (124, 13, 98),
        (228, 226, 65),
        (294, 227, 135),
    ]


@pytest.mark.parametrize("path", each(FILES), ids=lambda path: path.stem[:12])
def test_real_files_have_the_role_that_their_records_confirm(path: Path) -> None:
    role = classify(path.relative_to(SHARED))
    words = next((record for record in records(path) if record.get("sessionId") and record.get("uuid")), {})

    if words and role.kind is FileKind.MAIN:
        assert not words.get("isSidechain")
    if role.kind in (FileKind.AGENT, FileKind.COMPACTION):
        assert words["agentId"] == role.agent_id
        assert role.session_id in ("", words["sessionId"])


def tree(name: str) -> list[tuple[int, str, str, Evidence]]:
    """Depth, short id, parent's short id and evidence of every agent of the recorded session."""
    main = client(name)
    agents: list[AgentFacts] = []
    calls: dict[str, tuple[str, int]] = {}
    seen: list[Sighting] = []
    for path in [main, *sorted(main.with_suffix("").glob("subagents/agent-*.jsonl"))]:
        owner = classify(path).agent_id
        if owner:
            agents.append(AgentFacts.from_meta(owner, json.loads(path.with_suffix(".meta.json").read_text())))
        for position, record in enumerate(records(path)):
            seen.extend(find_sightings(record, owner))
            for block in record["message"]["content"] if record.get("type") == "assistant" else ():
                if block.get("type") == "tool_use":
                    calls[block["id"]] = (owner, position)
    agent_tree = build_agent_tree(agents, calls, seen)
    return [(depth, node.id[:4], node.parent[:4], node.how) for depth, node in agent_tree.walk()]


def test_recorded_nested_agents_are_a_tree() -> None:
    assert tree("subagents") == [
        (1, "ae4c", "", Evidence.META),
        (2, "a54a", "ae4c", Evidence.META),
        (1, "a1d9", "", Evidence.META),
        (1, "a386", "", Evidence.META),
        (1, "a498", "", Evidence.META),
    ]


def test_recorded_agents_without_ids_in_their_meta_are_known_by_their_results() -> None:
    assert tree("subagents-v90") == [
        (1, "aa3f", "", Evidence.RESULT),
        (1, "a38d", "", Evidence.RESULT),
        (1, "a16f", "", Evidence.RESULT),
    ]
