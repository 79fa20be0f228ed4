from __future__ import annotations

import pytest

from sessions.linking.engine import AgentFacts, Evidence, Sighting, build_agent_tree


def test_nested_agents_hang_on_the_agent_that_called_them() -> None:
    agents = [AgentFacts("inner", "t2", "outer", 2), AgentFacts("outer", "t1", "", 1), AgentFacts("other", "t0", "", 1)]

    tree = build_agent_tree(agents, {"t0": ("", 9), "t1": ("", 4), "t2": ("outer", 6)})

    assert [(depth, node.id, node.parent, node.call, node.how) for depth, node in tree.walk()] == [
        (1, "outer", "", 4, Evidence.META),
        (2, "inner", "outer", 6, Evidence.META),
        (1, "other", "", 9, Evidence.META),
    ]


@pytest.mark.parametrize("how", [Evidence.RESULT, Evidence.PROGRESS, Evidence.NOTIFICATION, Evidence.TEXT])
def test_an_agent_without_meta_is_known_by_where_its_id_was_seen(how: Evidence) -> None:
    tree = build_agent_tree([AgentFacts("a"), AgentFacts("b")], {"t1": ("a", 3)}, [Sighting("b", "t1", "a", how)])

    assert (tree.nodes["b"].parent, tree.nodes["b"].call, tree.nodes["b"].how) == ("a", 3, how)
    assert tree.nodes["a"].children == ("b",)
    assert tree.nodes["a"].how is Evidence.UNKNOWN


def test_the_surest_sighting_counts() -> None:
    seen = [
        Sighting("a", "t1", "", Evidence.TEXT),
        Sighting("a", "t2", "", Evidence.RESULT),
        Sighting("a", "t3", "", Evidence.RESULT),
    ]

    tree = build_agent_tree([AgentFacts("a")], {"t1": ("", 1), "t2": ("", 2), "t3": ("", 3)}, seen)

    assert (tree.nodes["a"].call, tree.nodes["a"].how) == (2, Evidence.RESULT)


def test_a_sighting_whose_call_is_unknown_still_tells_the_owner() -> None:
    tree = build_agent_tree([AgentFacts("a"), AgentFacts("b")], {}, [Sighting("b", "gone", "a", Evidence.TEXT)])

    assert (tree.nodes["b"].parent, tree.nodes["b"].call, tree.nodes["b"].how) == ("a", None, Evidence.TEXT)


def test_the_meta_file_may_name_the_parent_alone() -> None:
    tree = build_agent_tree([AgentFacts("a", parent_id="b"), AgentFacts("b", depth=1)], {})

    assert (tree.nodes["a"].parent, tree.nodes["a"].how) == ("b", Evidence.META)
    assert (tree.nodes["b"].parent, tree.nodes["b"].how) == ("", Evidence.META)


def test_an_agent_that_nobody_speaks_of_hangs_on_the_session_as_unknown() -> None:
    tree = build_agent_tree([AgentFacts("a", tool_use_id="gone", parent_id="deleted", depth=2)], {"": ("x", 1)})

    assert tree.roots == ("a",)
    assert tree.nodes["a"].how is Evidence.UNKNOWN


def test_other_tasks_are_no_agents() -> None:
    tree = build_agent_tree([], {"t1": ("", 1)}, [Sighting("b123", "t1", "", Evidence.NOTIFICATION)])

    assert tree.nodes == {}


def test_agents_that_claim_each_other_are_all_in_the_tree_once() -> None:
    agents = [AgentFacts("a", parent_id="b"), AgentFacts("b", parent_id="c"), AgentFacts("c", parent_id="b")]

    tree = build_agent_tree([*agents, AgentFacts("d", parent_id="d")], {})

    assert sorted(node.id for _, node in tree.walk()) == ["a", "b", "c", "d"]
    assert tree.nodes["b"].how is Evidence.UNKNOWN
    assert tree.nodes["d"].how is Evidence.UNKNOWN
