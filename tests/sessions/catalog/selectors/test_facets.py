from __future__ import annotations

import pytest

from sessions.catalog.selectors.facets import load_facets, project_tree
from sessions.models import Source
from tests.sessions.made import NOW, project, session

pytestmark = pytest.mark.django_db


def test_a_project_inside_another_stands_below_it() -> None:
    session(project=project("/home/dev/atlas"), last_at=NOW - 10)
    session(project=project("/home/dev/atlas/web/admin"), last_at=NOW - 30)
    session(project=project("/home/dev/atlas/docs"), last_at=NOW - 20)
    session(project=project("/home/dev/atlas-tools"), last_at=NOW)
    assert [(node.name, node.depth) for node in project_tree()] == [
        ("atlas-tools", 0),
        ("atlas", 0),
        ("docs", 1),
        ("admin", 1),
    ]


def test_a_project_counts_its_sessions_and_one_without_any_is_left_out() -> None:
    session(project=project("/a"))
    session(project=project("/a"))
    session(project=project("/a"), state=Source.State.REPLACED)
    project("/empty")
    assert [(node.name, node.sessions) for node in project_tree()] == [("a", 2)]


def test_two_directories_of_the_same_working_directory_are_both_shown() -> None:
    first, two = project("/a"), project("/elsewhere")
    two.cwd = "/a"
    two.save()
    session(project=first)
    session(project=two)
    assert len(project_tree()) == 2


def test_branches_and_models_are_those_of_the_chosen_project() -> None:
    here, there = project("/here"), project("/there")
    session(project=here, branch="main", branches="\nmain\nfix\n", model_names="\nclaude-a\n")
    session(project=there, branch="dev", branches="\ndev\n", model_names="\nclaude-b\n")
    assert load_facets(here.pk).branches == ["main", "fix"]
    assert load_facets(there.pk).models == ["claude-b"]
    assert set(load_facets(None).models) == {"claude-a", "claude-b"}
