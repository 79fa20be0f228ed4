from __future__ import annotations

from pathlib import PurePath, PureWindowsPath

import pytest

from sessions.engine.linking import AgentFacts, FileKind, FileRole, How, Sighting, agent_tree, classify

SESSION = "0a1b2c3d-0000-4000-8000-000000000001"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (f"{SESSION}.jsonl", FileRole(FileKind.MAIN, SESSION)),
        ("agent-1a2b3c4d.jsonl", FileRole(FileKind.AGENT, "", "1a2b3c4d")),
        (f"{SESSION}/subagents/agent-a12.jsonl", FileRole(FileKind.AGENT, SESSION, "a12")),
        (f"{SESSION}/subagents/agent-acompact-ff.jsonl", FileRole(FileKind.COMPACTION, SESSION, "acompact-ff")),
        (f"{SESSION}/subagents/journal.jsonl", FileRole(FileKind.JOURNAL, SESSION)),
        (f"{SESSION}/subagents/workflows/wf_1/journal.jsonl", FileRole(FileKind.JOURNAL, SESSION, "", "wf_1")),
        (f"{SESSION}/subagents/workflows/wf_1/agent-a1.jsonl", FileRole(FileKind.AGENT, SESSION, "a1", "wf_1")),
        (f"{SESSION}/tool-results/b12.txt", FileRole(FileKind.RESULT, SESSION)),
        (f"{SESSION}/tool-results/mcp-server-tool-1.json", FileRole(FileKind.RESULT, SESSION)),
        (f"test/fixtures/transcripts/{SESSION}.jsonl", FileRole(FileKind.MAIN, SESSION)),
        (f"test/fixtures/{SESSION}/subagents/agent-a1.jsonl", FileRole(FileKind.AGENT, SESSION, "a1")),
        ("subagents/agent-a1.jsonl", FileRole(FileKind.AGENT, "", "a1")),
        ("journal.jsonl", FileRole(FileKind.MAIN, "journal")),
        ("edge_cases.jsonl", FileRole(FileKind.MAIN, "edge_cases")),
    ],
)
def test_a_file_is_known_by_its_place(path: str, expected: FileRole) -> None:
    assert classify(PurePath(path)) == expected
    assert classify(PurePath("home/someone/.claude/projects/-work") / path).kind == expected.kind


def test_windows_paths_are_read_too() -> None:
    role = classify(PureWindowsPath(rf"C:\Users\x\{SESSION}\subagents\agent-a1.jsonl"))

    assert role == FileRole(FileKind.AGENT, SESSION, "a1")


def test_nested_agents_hang_on_the_agent_that_called_them() -> None:
    agents = [AgentFacts("inner", "t2", "outer", 2), AgentFacts("outer", "t1", "", 1), AgentFacts("other", "t0", "", 1)]

    tree = agent_tree(agents, {"t0": ("", 9), "t1": ("", 4), "t2": ("outer", 6)})

    assert [(depth, node.id, node.parent, node.call, node.how) for depth, node in tree.walk()] == [
        (1, "outer", "", 4, How.META),
        (2, "inner", "outer", 6, How.META),
        (1, "other", "", 9, How.META),
    ]


@pytest.mark.parametrize("how", [How.RESULT, How.PROGRESS, How.NOTIFICATION, How.TEXT])
def test_an_agent_without_meta_is_known_by_where_its_id_was_seen(how: How) -> None:
    tree = agent_tree([AgentFacts("a"), AgentFacts("b")], {"t1": ("a", 3)}, [Sighting("b", "t1", "a", how)])

    assert (tree.nodes["b"].parent, tree.nodes["b"].call, tree.nodes["b"].how) == ("a", 3, how)
    assert tree.nodes["a"].children == ("b",)
    assert tree.nodes["a"].how is How.UNKNOWN


def test_the_surest_sighting_counts() -> None:
    seen = [Sighting("a", "t1", "", How.TEXT), Sighting("a", "t2", "", How.RESULT), Sighting("a", "t3", "", How.RESULT)]

    tree = agent_tree([AgentFacts("a")], {"t1": ("", 1), "t2": ("", 2), "t3": ("", 3)}, seen)

    assert (tree.nodes["a"].call, tree.nodes["a"].how) == (2, How.RESULT)


def test_a_sighting_whose_call_is_unknown_still_tells_the_owner() -> None:
    tree = agent_tree([AgentFacts("a"), AgentFacts("b")], {}, [Sighting("b", "gone", "a", How.TEXT)])

    assert (tree.nodes["b"].parent, tree.nodes["b"].call, tree.nodes["b"].how) == ("a", None, How.TEXT)


def test_the_meta_file_may_name_the_parent_alone() -> None:
    tree = agent_tree([AgentFacts("a", parent_id="b"), AgentFacts("b", depth=1)], {})

    assert (tree.nodes["a"].parent, tree.nodes["a"].how) == ("b", How.META)
    assert (tree.nodes["b"].parent, tree.nodes["b"].how) == ("", How.META)


def test_an_agent_that_nobody_speaks_of_hangs_on_the_session_as_unknown() -> None:
    tree = agent_tree([AgentFacts("a", tool_use_id="gone", parent_id="deleted", depth=2)], {"": ("x", 1)})

    assert tree.roots == ("a",)
    assert tree.nodes["a"].how is How.UNKNOWN


def test_other_tasks_are_no_agents() -> None:
    tree = agent_tree([], {"t1": ("", 1)}, [Sighting("b123", "t1", "", How.NOTIFICATION)])

    assert tree.nodes == {}


def test_agents_that_claim_each_other_are_all_in_the_tree_once() -> None:
    agents = [AgentFacts("a", parent_id="b"), AgentFacts("b", parent_id="c"), AgentFacts("c", parent_id="b")]

    tree = agent_tree([*agents, AgentFacts("d", parent_id="d")], {})

    assert sorted(node.id for _, node in tree.walk()) == ["a", "b", "c", "d"]
    assert tree.nodes["b"].how is How.UNKNOWN
    assert tree.nodes["d"].how is How.UNKNOWN
