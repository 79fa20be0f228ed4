"""Where a project's memory lies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.files.engine.locations import (
    LocationOrigin,
    MemoryLocation,
    Scope,
    UnsafePathError,
    check_directory,
    find_agent_memories,
    find_canonical_root,
    find_session_notes,
    locate_memory,
    notes_paths,
)

HOME = Path("/home/dev")
RELATIVE = ["", "  ", "memory", "./memory", "../memory", "~", "~root/memory"]
NEAR_THE_ROOT = ["/", "/etc", "/a/..", "/home", "/home/dev", "/home/dev/", "/home/dev/x/..", "~/", "~/..", "~/../dev"]
ELSEWHERE = [
    "C:\\",
    "C:/",
    "c:\\memory",
    "C:memory",
    "C:\\a\\b",
    "\\\\server\\share\\memory",
    "//server/share/memory",
    "//",
]
UNSAFE = [*RELATIVE, *NEAR_THE_ROOT, *ELSEWHERE, "/home/dev/a\0b"]


def place(project: Path, config: Path, policies: tuple[Path, ...] = (), **environ: str) -> MemoryLocation:
    return locate_memory(project, config=config, home=HOME, environ=environ, policies=policies)


def settings(folder: Path, name: str, **values: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(json.dumps(values))
    return path


def test_a_project_has_its_memory_below_its_slug(tmp_path: Path) -> None:
    result = place(Path("/home/dev/My Boat_2"), tmp_path)
    assert result == MemoryLocation(
        tmp_path / "projects" / "-home-dev-My-Boat-2" / "memory", LocationOrigin.PROJECT, "/home/dev/My Boat_2"
    )


def test_the_environment_comes_before_policy_and_policy_before_the_user(tmp_path: Path) -> None:
    policy = settings(tmp_path / "etc", "managed.json", autoMemoryDirectory="/srv/shared/memory")
    settings(tmp_path / "config", "settings.json", autoMemoryDirectory="~/notes")
    config = tmp_path / "config"
    assert place(tmp_path, config).path == HOME / "notes"
    assert place(tmp_path, config, (policy,)).path == Path("/srv/shared/memory")
    result = place(tmp_path, config, (policy,), CLAUDE_COWORK_MEMORY_PATH_OVERRIDE="/data/team/memory")
    assert (result.path, result.origin) == (Path("/data/team/memory"), LocationOrigin.ENVIRONMENT)


def test_a_projects_own_settings_are_not_asked(tmp_path: Path) -> None:
    project = tmp_path / "project"
    for name in ("settings.json", "settings.local.json"):
        settings(project / ".claude", name, autoMemoryDirectory="/home/dev/.ssh/keys")
    assert place(project, tmp_path / "config").origin is LocationOrigin.PROJECT


@pytest.mark.parametrize("path", UNSAFE)
def test_unsafe_paths_are_passed_over_and_told(tmp_path: Path, path: str) -> None:
    settings(tmp_path, "settings.json", autoMemoryDirectory=path)
    result = place(tmp_path / "p", tmp_path)
    assert result.origin is LocationOrigin.PROJECT
    with pytest.raises(UnsafePathError, match=r"\.$"):
        check_directory(path, HOME)
    assert [refused.value for refused in result.refused] == ([path] if path else [])


@given(st.text(alphabet="/.~aA:\\\0 ", max_size=30))
def test_a_safe_directory_is_plain_absolute_and_holds_nobodys_home(text: str) -> None:
    try:
        path = check_directory(text, HOME)
    except UnsafePathError:
        return
    assert path.is_absolute()
    assert ".." not in path.parts
    assert len(path.parts) > 2
    assert not HOME.is_relative_to(path)


def test_settings_that_cannot_be_read_are_as_none(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text("{not json")
    assert place(tmp_path, tmp_path).origin is LocationOrigin.PROJECT
    settings(tmp_path, "settings.json", autoMemoryDirectory=["/data/x"])
    assert place(tmp_path, tmp_path).origin is LocationOrigin.PROJECT


def test_the_environment_can_name_the_projects_directory(tmp_path: Path) -> None:
    result = place(tmp_path, tmp_path, CLAUDE_CODE_PROJECT_DIR_NAME="my-boat")
    assert result.path == tmp_path / "projects" / "my-boat" / "memory"
    result = place(Path("/home/dev/x"), tmp_path, CLAUDE_CODE_PROJECT_DIR_NAME="../../etc")
    assert result.path == tmp_path / "projects" / "-home-dev-x" / "memory"
    assert result.refused[0].why.startswith("../../etc is no name")


def worktree(repository: Path, tree: Path) -> None:
    """As `git worktree add` leaves it."""
    own = repository / ".git" / "worktrees" / tree.name
    own.mkdir(parents=True)
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {own}\n")
    (own / "commondir").write_text("../..\n")
    (own / "gitdir").write_text(f"{tree / '.git'}\n")


def test_worktrees_share_the_memory_of_their_repository(tmp_path: Path) -> None:
    repository, tree = tmp_path / "repository", tmp_path / "tree"
    worktree(repository, tree)
    (tree / "src").mkdir()
    assert find_canonical_root(tree / "src") == repository
    assert find_canonical_root(repository) == repository
    assert place(tree, tmp_path) == place(repository, tmp_path)


def test_a_git_file_that_nobody_points_back_to_is_not_believed(tmp_path: Path) -> None:
    victim, evil = tmp_path / "victim", tmp_path / "evil"
    worktree(victim, tmp_path / "tree")
    evil.mkdir()
    (evil / ".git").write_text(f"gitdir: {victim / '.git' / 'worktrees' / 'tree'}\n")
    assert find_canonical_root(evil) == evil


def test_submodules_and_broken_git_files_stand_for_themselves(tmp_path: Path) -> None:
    (tmp_path / ".git" / "modules" / "sub").mkdir(parents=True)
    for name, text in (
        ("sub", f"gitdir: {tmp_path}/.git/modules/sub\n"),
        ("broken", "nonsense"),
        ("binary", "gitdir: \0"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / ".git").write_text(text)
        assert find_canonical_root(tmp_path / name) == tmp_path / name
    assert find_canonical_root(Path("/nowhere/at/all")) == Path("/nowhere/at/all")


def test_agents_keep_memory_in_three_scopes(tmp_path: Path) -> None:
    config, project = tmp_path / "config", tmp_path / "project"
    for path in ("agent-memory/reviewer", "agent-memory/plugin-writer"):
        (config / path).mkdir(parents=True)
    (project / ".claude/agent-memory-local/reviewer").mkdir(parents=True)
    agent_memories = find_agent_memories(config=config, project=project)
    assert [(agent_memory.agent, agent_memory.scope) for agent_memory in agent_memories] == [
        ("plugin-writer", Scope.USER),
        ("reviewer", Scope.USER),
        ("reviewer", Scope.LOCAL),
    ]


def test_notes_of_a_session_are_found_in_both_places(tmp_path: Path) -> None:
    for session, place_ in (("s1", 0), ("s1", 1), ("s2", 1)):
        path = notes_paths(tmp_path, session)[place_]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# Session Title\n")
    assert [(session_note.session, session_note.path.name) for session_note in find_session_notes(tmp_path)] == [
        ("s1", "summary.md"),
        ("s2", "s2.md"),
    ]
