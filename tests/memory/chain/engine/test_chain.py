"""The CLAUDE.md chain: order, includes, limits, and what a compaction loses."""

from __future__ import annotations

import os
from pathlib import Path

import orjson
import pytest

from memory.chain.engine import MOST_HOPS, Chain, Layer, Outcome, When, build_chain, format_reminder
from tests.samples import SHARED, needs_samples

RECORDED = SHARED / "realclient" / "memory" / "projects" / "-home-dev-work-memory"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


def write(home: Path, **files: str) -> None:
    """`__` stands for a slash, and a name ends in .md."""
    for name, text in files.items():
        path = home / (name.replace("__", "/") + ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def chain(home: Path, directory: str = "p") -> Chain:
    (home / directory).mkdir(parents=True, exist_ok=True)
    return build_chain(
        home / directory,
        config=home / ".claude",
        home=home,
        project=home / "p",
        memory=home / "memory",
        managed=(home / "etc",),
    )


def paths(home: Path, chain_value: Chain) -> list[tuple[str, Layer, When]]:
    return [(os.path.relpath(file.path, home), file.layer, file.when) for file in chain_value.files]


def outcomes(home: Path, chain_value: Chain, name: str = "p/CLAUDE.md") -> dict[str, Outcome]:
    (file,) = [file for file in chain_value.files if file.path == str(home / name)]
    return {include.written: include.outcome for include in file.includes}


def test_files_are_loaded_from_the_widest_to_the_nearest(home: Path) -> None:
    write(
        home,
        etc__CLAUDE="managed",
        **{".claude__CLAUDE": "user", ".claude__rules__u": "user rule"},
        p__CLAUDE="project",
        **{"p__.claude__CLAUDE": "also", "p__.claude__rules__sub__a": "rule", "p__CLAUDE.local": "mine"},
        p__src__CLAUDE="source",
        **{"p__src__CLAUDE.local": "mine here", "memory__MEMORY": "- [A](a.md)"},
        p__src__deep__CLAUDE="deep",
    )
    start, project = When.START, Layer.PROJECT
    assert paths(home, chain(home, "p/src")) == [
        ("etc/CLAUDE.md", Layer.MANAGED, start),
        (".claude/CLAUDE.md", Layer.USER, start),
        (".claude/rules/u.md", Layer.USER, start),
        ("p/CLAUDE.md", project, start),
        ("p/.claude/CLAUDE.md", project, start),
        ("p/.claude/rules/sub/a.md", project, start),
        ("p/CLAUDE.local.md", Layer.LOCAL, start),
        ("p/src/CLAUDE.md", project, start),
        ("p/src/CLAUDE.local.md", Layer.LOCAL, start),
        ("memory/MEMORY.md", Layer.INDEX, start),
        ("p/src/deep/CLAUDE.md", project, When.ON_ENTRY),
    ]


def test_a_compaction_loses_what_was_not_loaded_at_the_start(home: Path) -> None:
    rule = '---\npaths:\n  - "**/*.py"\n  - src/**\n---\n\nUse ruff.\n'
    write(home, p__CLAUDE="project", **{"p__.claude__rules__py": rule}, p__sub__CLAUDE="nested")
    result = chain(home)
    (scoped,) = [file for file in result.files if file.globs]
    assert (scoped.globs, scoped.agent_text, scoped.when) == (("**/*.py", "src/**"), "Use ruff.", When.ON_MATCH)
    lost = [os.path.relpath(file.path, home) for file in result.lost_at_compaction]
    assert lost == ["p/.claude/rules/py.md", "p/sub/CLAUDE.md"]
    assert result.characters == len("project")


def test_includes_are_followed_from_where_they_stand(home: Path) -> None:
    write(home, p__CLAUDE="See @docs/a.md, @~/mine.md and @/etc/hosts.", p__docs__a="@b.md", p__docs__b="b", mine="m")
    result = chain(home)
    outside = {"~/mine.md": Outcome.EXTERNAL, "/etc/hosts.": Outcome.EXTERNAL}
    assert outcomes(home, result) == {"docs/a.md,": Outcome.INCLUDED, **outside}
    assert [(Path(file.path).name, file.hops) for file in result.files] == [("CLAUDE.md", 0), ("a.md", 1), ("b.md", 2)]
    assert result.files[2].included_by == str(home / "p/docs/a.md")
    assert result.outside == ((str(home / "mine.md"), str(home / "mine.md")), ("/etc/hosts", "/etc/hosts"))


def test_what_a_person_includes_for_all_projects_has_to_lie_in_the_configuration(home: Path) -> None:
    write(home, **{".claude__CLAUDE": "@~/mine.md @more.md", ".claude__more": "more"}, mine="m")
    includes = {"~/mine.md": Outcome.EXTERNAL, "more.md": Outcome.INCLUDED}
    assert outcomes(home, chain(home), ".claude/CLAUDE.md") == includes


@pytest.mark.parametrize(
    "link",
    ["p/CLAUDE.md", "p/.claude", "p/.claude/rules", "p/.claude/rules/x.md", "p/sub/CLAUDE.md", ".claude/CLAUDE.md"],
)
def test_a_link_that_leads_out_is_named_and_shows_nothing(home: Path, link: str) -> None:
    secret = home / "secrets"
    write(home, **dict.fromkeys(("secrets__CLAUDE", "secrets__x", "secrets__rules__x"), "private words"))
    target = secret if Path(link).suffix != ".md" else secret / "x.md"
    (home / link).parent.mkdir(parents=True, exist_ok=True)
    (home / link).symlink_to(target)
    result = chain(home)
    assert not [file for file in result.files if "private" in file.text]
    assert result.outside
    assert all(Path(leads).is_relative_to(secret) for _, leads in result.outside)


def test_a_link_that_stays_in_the_project_is_followed(home: Path) -> None:
    write(home, p__AGENTS="shared words")
    (home / "p/CLAUDE.md").symlink_to("AGENTS.md")
    result = chain(home)
    assert ([file.agent_text for file in result.files], result.outside) == (["shared words"], ())


def test_code_comments_mentions_and_addresses_are_no_includes(home: Path) -> None:
    text = (
        "`@a.md` ``x `@a.md` y``\n```\n@a.md\n```\n~~~~\n@a.md\n~~~\n@a.md\n~~~~\n\n    @a.md\n\n<!-- @a.md -->\n"
        "ask @somebody or dev@a.md, a decorator @property\n- item\n\n    @b.md\n"
    )
    write(home, p__CLAUDE=text, p__a="a", p__b="b")
    result = chain(home)
    assert outcomes(home, result) == {"b.md": Outcome.INCLUDED}
    assert result.files[0].includes[0].line == text.count("\n")


def test_cycles_end_and_repeated_files_are_loaded_once(home: Path) -> None:
    write(home, p__CLAUDE="@a.md @b.md", p__a="@b.md", p__b="@a.md @CLAUDE.md")
    result = chain(home)
    assert outcomes(home, result) == {"a.md": Outcome.INCLUDED, "b.md": Outcome.ALREADY}
    assert outcomes(home, result, "p/b.md") == {"a.md": Outcome.CYCLE, "CLAUDE.md": Outcome.CYCLE}
    assert len(result.files) == 3


def test_the_hops_of_includes_are_limited(home: Path) -> None:
    write(home, p__CLAUDE="@h1.md", **{f"p__h{index}": f"@h{index + 1}.md" for index in range(1, 8)})
    result = chain(home)
    assert [file.hops for file in result.files] == list(range(MOST_HOPS + 1))
    assert outcomes(home, result, f"p/h{MOST_HOPS}.md") == {f"h{MOST_HOPS + 1}.md": Outcome.TOO_DEEP}


def test_what_cannot_be_included_is_told(home: Path) -> None:
    write(home, p__CLAUDE="@missing.md @picture.png @pipe.md @folder/ @a\\ b.md")
    (home / "p/picture.png").write_bytes(b"\x89PNG\0\0")
    os.mkfifo(home / "p/pipe.md")
    (home / "p/folder").mkdir()
    (home / "p/a b.md").write_text("x")
    missing = Outcome.MISSING
    assert outcomes(home, chain(home)) == {
        "missing.md": missing,
        "picture.png": Outcome.NOT_TEXT,
        "pipe.md": missing,
        "folder/": missing,
        "a\\ b.md": Outcome.INCLUDED,
    }


def test_hostile_files_of_the_chain_are_told(home: Path) -> None:
    (home / "p").mkdir()
    os.mkfifo(home / "p/CLAUDE.md")
    (home / "p/CLAUDE.local.md").symlink_to(home / "p/CLAUDE.local.md")
    (home / "p/.claude").mkdir()
    (home / "p/.claude/CLAUDE.md").write_bytes(b"\xff\0")
    result = chain(home)
    assert result.files == ()
    assert [os.path.relpath(path, home) for path, _ in result.unread] == [
        "p/CLAUDE.md",
        "p/.claude/CLAUDE.md",
        "p/CLAUDE.local.md",
    ]


def test_sizes_are_held_against_their_limits(home: Path) -> None:
    write(home, p__CLAUDE="x" * 40_001, **{"p__.claude__CLAUDE": "x" * 40_000, "memory__MEMORY": "- x\n" * 300})
    project, other, index = chain(home).files
    assert (project.is_over, other.is_over, project.characters) == (True, False, 40_001)
    assert index.warning.startswith("WARNING: MEMORY.md is 300 lines")
    assert index.agent_text.endswith(index.warning)


@needs_samples
def test_the_reminder_is_what_the_client_sent(tmp_path: Path) -> None:
    session = RECORDED / "0ca5c391-7182-401e-a6b8-3d71a6e85419.jsonl"
    rows = [orjson.loads(line) for line in session.read_bytes().splitlines()]
    (sent,) = [row for row in rows if row.get("attachment", {}).get("type") == "instructions"]
    instructions, index = sent["attachment"]["files"]
    write(tmp_path, p__CLAUDE=f"{instructions['content']}\n", memory__MEMORY=f"{index['content']}\n")
    made = format_reminder(chain(tmp_path).at_start)
    for file, path in ((instructions, tmp_path / "p/CLAUDE.md"), (index, tmp_path / "memory/MEMORY.md")):
        made = made.replace(str(path), file["path"])
    assert made == sent["rendered"][0]["content"]
