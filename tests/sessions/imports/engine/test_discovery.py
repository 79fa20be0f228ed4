from __future__ import annotations

from pathlib import Path

import pytest

from sessions.imports.engine.discovery import PathMissingError, discover


def discovered(*paths: Path) -> set[str]:
    return {Path(item.path).name for item in discover(paths)}


def touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"type":"user"}\n')
    return path


def test_it_finds_sessions_agents_and_spilled_output(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-home-dev"
    touch(project / "one.jsonl")
    touch(project / "one" / "subagents" / "agent-a1.jsonl")
    touch(project / "one" / "tool-results" / "b1.txt")
    touch(project / "one" / "session-memory" / "summary.md")
    touch(tmp_path / "history.jsonl")

    assert discovered(tmp_path) == {"one.jsonl", "agent-a1.jsonl", "b1.txt"}


def test_a_project_may_lie_below_a_folder_of_any_name(tmp_path: Path) -> None:
    touch(tmp_path / "memory" / "projects" / "-home-dev" / "one.jsonl")

    assert discovered(tmp_path) == {"one.jsonl"}


def test_it_does_not_look_into_folders_of_tools(tmp_path: Path) -> None:
    touch(tmp_path / "node_modules" / "log.jsonl")
    touch(tmp_path / ".git" / "log.jsonl")

    assert discovered(tmp_path) == set()


def test_a_file_may_be_named_itself(tmp_path: Path) -> None:
    assert discovered(touch(tmp_path / "one.jsonl")) == {"one.jsonl"}


def test_a_path_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(PathMissingError, match="no-such-place does not exist"):
        discovered(tmp_path / "no-such-place")
