from __future__ import annotations

import os
import re
import threading
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.agents.cancel import CancelToken
from inspector.agents.errors import CancelledError
from inspector.agents.tools import Limits, Readable, Shell
from inspector.agents.tools.allowed import NAMES
from inspector.agents.tools.command import parse
from inspector.agents.tools.tool import DeniedError, FailedError
from tests.examples import examples
from tests.serving import wait_until


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "a.md").write_text("apple\nbanana\n")
    (root / "b.md").write_text("cherry\n")
    (root / "sub" / "c.md").write_text("apple pie\n")
    (root / "-rf").write_text("odd name\n")
    (root / "+1f").write_text("0\n1\n")
    (tmp_path / "secret.md").write_text("apple of the eye\n")
    (root / "out").symlink_to(tmp_path / "secret.md")
    (root / "outside").symlink_to(tmp_path)
    (root / "in").symlink_to(root / "a.md")
    return root


def run(root: Path, command: str, **limits: float) -> str:
    return Shell(Readable((root,)), Limits(**limits)).run({"command": command}, CancelToken()).text  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("cat a.md b.md", "apple\nbanana\ncherry"),
        ("cat *.md | grep an", "banana"),
        ("grep -rn apple . | wc -l", "2"),
        ("grep -c -e apple -- a.md", "1"),
        ("grep nothing a.md", ""),
        ("find . -name '*.md' -not -path './sub/*' | head -5 | wc -l", "2"),
        ("find . \\( -name a.md -o -name c.md \\) -type f -print | tail -n 1 | wc -l", "1"),
        ("head -n1 a.md", "apple"),
        ("head -1 a.md", "apple"),
        ("tail -n +2 a.md", "banana"),
        ("wc -l a.md", "2 a.md"),
        ("stat -c %s b.md", "7"),
        ("ls sub", "c.md"),
        ("ls s*", "c.md"),
        ("cat in", "apple\nbanana"),
        ("cat -- -rf", "odd name"),
        ("cat ?rf", "odd name"),
        ("cat */c.md", "apple pie"),
        ("cat s*/./c*", "apple pie"),
        ("ls -d */", "sub/"),
        ("cat ./[ab].md", "apple\nbanana\ncherry"),
        ("tail -n +2 ./+1f", "1"),
        ("grep -A1 --color=never -h apple a.md", "apple\nbanana"),
        ("cat", ""),
        ("ls -1 sub | cat -", "c.md"),
    ],
)
def test_commands_that_read_are_run(root: Path, command: str, output: str) -> None:
    assert run(root, command) == output


@pytest.mark.parametrize(
    "command",
    [
        "rm a.md",
        "/bin/cat a.md",
        "bash -c ls",
        "sh",
        "env ls",
        "xargs cat",
        "FOO=1 ls",
        "sort -o x a.md",
        "tee x",
        "find . -exec cat {} ;",
        "find . -exec cat '{}' ';'",
        "find . -execdir cat '{}' +",
        "find . -ok cat",
        "find . -okdir cat",
        "find . -delete",
        "find . -fprint x",
        "find . -fprint0 x",
        "find . -fprintf x y",
        "find . -fls x",
        "find . -files0-from x",
        "find -files0-from a.md",
        "find -L . -name x",
        "find -H .",
        "find . -follow",
        "find . -newer /etc/passwd",
        "find . -name",
        "find . -name x y",
        "find /",
        "find ..",
        "find outside",
        "grep -f a.md b.md",
        "grep -fa.md b.md",
        "grep -rf a.md .",
        "grep --file a.md b.md",
        "grep --file=a.md b.md",
        "grep --fil=a.md b.md",
        "grep --exclude-from=a.md x .",
        "grep -R apple .",
        "grep --dereference-recursive apple .",
        "grep apple /etc/passwd",
        "grep -e apple ../secret.md",
        "grep -A x apple",
        "grep -e",
        "tail -f a.md",
        "tail -F a.md",
        "tail -5f a.md",
        "tail -nf a.md",
        "tail +1f a.md",
        "tail +f",
        "tail '+2' a.md",
        "cat a.md | tail +1f",
        "tail --follow a.md",
        "tail --follow=name a.md",
        "tail --fol a.md",
        "tail --retry a.md",
        "tail --pid=1 a.md",
        "wc --files0-from=a.md",
        "wc --files0-from a.md",
        "wc --files0 a.md",
        "ls -L",
        "ls --dereference",
        "cat ../secret.md",
        "cat /etc/passwd",
        "cat sub/../../secret.md",
        "cat out",
        "cat outside/secret.md",
        "cat o*",
        "cat outside/*",
        "cat ../*",
        "cat */../../secret.md",
        "cat /*",
        "cat ~/x",
        "cat ~root/x",
        "cat ''",
        "ls outside",
        "head -c 1x a.md",
        "stat /etc/passwd",
        "ls *[*]*/*/*/*/*",
        "cat a.md | rm b.md",
        "cat a.md | tail -f",
    ],
)
def test_everything_else_is_denied_before_anything_runs(root: Path, command: str) -> None:
    with pytest.raises(DeniedError, match=r"\.$"):
        run(root, command)
    assert (root / "a.md").exists()


_ARGUMENTS = """
    a.md sub . .. / /etc/passwd -la -r -R -f -F -n -5 5 -n5 -e -exec -delete -name *.md -o -ok -fprint -L -P ( ) ! -- -
    +1f +5
    --file=a.md --files0-from=a.md --follow --include=*.md -rf out outside/* * -newer -type f -regex apple --lines=3
"""
_WORDS = st.one_of(st.sampled_from(_ARGUMENTS.split()), st.text("-=/.abefnorLRF*?01", max_size=8))
_STAGES = st.lists(st.tuples(st.sampled_from([*NAMES, "rm"]), st.lists(_WORDS, max_size=5)), min_size=1, max_size=3)
_COUNTS = ("-n", "-c", "--")
_NEVER = ("-exec", "-ok", "-delete", "-fprint", "-fls", "-files0-from", "--file", "--follow", "--retry", "--deref")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(100))
@given(stages=_STAGES)
def test_nothing_outside_of_the_lists_gets_through(root: Path, stages: list[tuple[str, list[str]]]) -> None:
    readable = Readable((root,))
    quoted = " | ".join(" ".join([name, *(f"'{word}'" for word in words)]) for name, words in stages)
    try:
        argvs = Shell(readable).argvs(quoted)
    except DeniedError:
        return
    assert argvs == [[word.text for word in stage] for stage in parse(quoted)]
    for name, *words in argvs:
        assert name in NAMES
        operands = words.index("--") if "--" in words else len(words)
        options = words[:operands]
        # A value may look like an option of another command; as an option of this one it never passes.
        if name in ("find", "tail", "wc") and "-name" not in words and "-regex" not in words and "-newer" not in words:
            assert not [word for word in options if word.startswith(_NEVER)]
        if name == "tail":
            assert not [
                word for word in words if word.startswith("+") and words[words.index(word) - 1][:2] not in _COUNTS
            ]
            assert not [word for word in options if word.startswith("-") and set(word[1:]) & set("fF")]
        if name in ("cat", "head", "tail", "wc", "stat", "ls"):
            inside = [word for word in words if not word.startswith("-")]
            assert all((root / word).resolve().is_relative_to(root.resolve()) for word in inside if not word.isdigit())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(100))
@given(line=st.text("lscat fingrep-*?./'\"\\|exoud", max_size=40))
def test_whatever_is_written_it_is_run_or_denied(root: Path, line: str) -> None:
    try:
        argvs = Shell(Readable((root,))).argvs(line)
    except DeniedError:
        return
    assert {argv[0] for argv in argvs} <= set(NAMES)


@pytest.mark.parametrize("command", ["cat */secret.md", "ls */sec*", "ls */*/sec*", "cat outside*/secret.md"])
def test_wild_cards_find_nothing_behind_a_link_that_leads_out(root: Path, command: str) -> None:
    """Not even that it is there: the names are not read."""
    with pytest.raises(FailedError, match=re.escape(command.split()[1])):
        run(root, command)


def test_a_pattern_is_held_against_so_many_names_and_no_more(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.agents.tools.wildcards.MOST_LOOKED_AT", len(list(root.iterdir())))
    assert run(root, "cat a*") == "apple\nbanana"
    with pytest.raises(DeniedError, match="too many files"):
        run(root, "cat */nothing*")


def test_a_refusal_names_a_path_as_it_was_written(root: Path) -> None:
    with pytest.raises(DeniedError, match=r"^outside/secret\.md is outside"):
        run(root, "cat outside/secret.md")


def test_a_command_that_fails_says_why(root: Path) -> None:
    with pytest.raises(FailedError, match="No such file"):
        run(root, "cat missing.md")


def test_output_is_cut(root: Path) -> None:
    (root / "big").write_bytes(b"x" * 1_000_000)
    result = run(root, "cat big", output=1000)
    assert result == "x" * 1000 + "\n(cut after 1,000 bytes)"


def waiting(root: Path) -> bool:
    """Whether a process still holds the fifo below this root."""
    mark = os.fsencode(root)
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.fsencode(os.readlink(entry / "cwd")) == mark:
                return True
        except OSError:
            continue
    return False


def test_a_command_that_takes_too_long_is_killed_with_its_whole_pipe(root: Path) -> None:
    os.mkfifo(root / "fifo")
    began = time.monotonic()
    assert run(root, "cat fifo | grep x | wc -l", seconds=0.4) == "(stopped after 0.4 seconds)"
    assert time.monotonic() - began < 5
    wait_until(lambda: not waiting(root))


def test_it_can_be_stopped(root: Path) -> None:
    os.mkfifo(root / "fifo")
    token = CancelToken()
    threading.Timer(0.3, token.cancel).start()
    began = time.monotonic()
    with pytest.raises(CancelledError):
        Shell(Readable((root,))).run({"command": "cat fifo | cat"}, token)
    assert time.monotonic() - began < 5
    wait_until(lambda: not waiting(root))


def test_a_second_root_may_be_read_by_its_whole_path(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "d.md").write_text("date\n")
    shell = Shell(Readable((root, other)))
    assert shell.run({"command": f"cat {other}/d.md {other}/*.md"}, CancelToken()).text == "date\ndate"
