"""Nothing gets out of a memory directory, whatever it is called."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory.files.engine.locations import ConfinedDirectory, InvalidNameError

PARTS = st.sampled_from(
    ["..", ".", "", "a", "b.md", "out", "in", "loop", "~", "C:", "\\\\server", "\0", "x" * 300, " ", "é", "\udc80"]
)
NAMES = st.one_of(
    st.text(max_size=40), st.lists(PARTS, max_size=6).map("/".join), st.lists(PARTS, max_size=4).map("\\".join)
)
OUTSIDE = [
    "",
    " ",
    ".",
    "/",
    "/etc/passwd",
    "~/x.md",
    "..",
    "../x.md",
    "a/../../x.md",
    "a/../b.md",
    "a\\b.md",
    "x\0.md",
]
WINDOWS = ["a\\b.md", "C:\\x.md", "C:/x.md", "\\\\server\\x"]
LINKED = ["out/secret.md", "secret.md", "in/b.md", "loop", "loop/x.md", "out"]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with links: one that leads out, one that stays, one that never ends."""
    base = tmp_path_factory.mktemp("confined")
    (base / "outside").mkdir()
    (base / "outside" / "secret.md").write_text("secret")
    root = base / "memory"
    (root / "a").mkdir(parents=True)
    (root / "a" / "b.md").write_text("b")
    (root / "out").symlink_to(base / "outside")
    (root / "in").symlink_to(root / "a")
    (root / "loop").symlink_to(root / "loop")
    (root / "secret.md").symlink_to(base / "outside" / "secret.md")
    return root


@given(NAMES)
@example("../outside/secret.md")
@example("a/../../outside/secret.md")
@example("out/secret.md")
@example("a/./b.md")
@example("memory-2/x.md")
def test_a_resolved_name_is_a_file_below_the_root_and_no_link_leads_there(root: Path, name: str) -> None:
    try:
        path = ConfinedDirectory(root).resolve(name)
    except InvalidNameError:
        return
    assert str(path).startswith(f"{os.path.realpath(root)}/")
    assert os.path.realpath(path) == str(path)
    assert ".." not in path.parts
    assert "\0" not in str(path)


@pytest.mark.parametrize("name", [*OUTSIDE, *WINDOWS, *LINKED, "y" * 256])
def test_other_names_are_refused_with_a_sentence(root: Path, name: str) -> None:
    with pytest.raises(InvalidNameError, match=r"\.$"):
        ConfinedDirectory(root).resolve(name)


@pytest.mark.parametrize("name", ["x.md", "a/b.md", "./a/b.md", "new/deep/x.md", "..x.md", "é.md", "a b.md"])
def test_names_of_files_that_are_there_or_could_be_resolve(root: Path, name: str) -> None:
    assert ConfinedDirectory(root).resolve(name) == Path(os.path.realpath(root)) / os.path.normpath(name)


def test_a_root_behind_a_link_is_the_directory_that_it_leads_to(tmp_path: Path, root: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    confined = ConfinedDirectory(tmp_path / "link")
    assert confined.resolve("x.md") == root.resolve() / "x.md"
