"""`lucid memory` on the command line."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.serving import lucid

DEMO = Path(__file__).parents[4] / "sessions" / "demo" / "projects" / "-home-dev-tidewatch" / "memory"
FINDING = {"rule", "file", "line", "severity", "message", "others", "fix"}


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("memory", *arguments, stdout=out)
    return out.getvalue()


def document(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json"))


def test_lint_prints_one_document() -> None:
    result = document("lint", str(DEMO))
    assert result["index"] == {"lines": 16, "bytes": 1_119, "loaded_lines": 16, "loaded_bytes": 1_119}
    assert all(finding.keys() == FINDING for finding in result["findings"])
    first = result["findings"][0]
    assert (first["rule"], first["file"], first["line"], first["severity"]) == (
        "dangling-pointer",
        "MEMORY.md",
        16,
        "error",
    )
    assert 0 < result["health"]["score"] < 100
    assert result["health"]["formula"].startswith("Each file loses 1 for an error")


def test_lint_looks_into_the_checkout_and_its_instructions(tmp_path: Path) -> None:
    (tmp_path / "src" / "tidewatch").mkdir(parents=True)
    (tmp_path / "src" / "tidewatch" / "table.py").write_text("def bounds(): ...\n")
    (tmp_path / "CLAUDE.md").write_text((DEMO / "user-dev.md").read_text().rpartition("---")[2])
    result = {
        (finding["rule"], finding["file"])
        for finding in document("lint", str(DEMO), "--project", str(tmp_path))["findings"]
    }
    assert {("missing-file", "release-checklist.md"), ("repeats-instructions", "user-dev.md")} <= result
    assert ("missing-file", "utc-inside.md") not in result
    assert not any(finding["rule"] == "missing-file" for finding in document("lint", str(DEMO))["findings"])


def test_lint_prints_lines_for_people() -> None:
    out = run("lint", str(DEMO))
    assert "error  MEMORY.md:16  dangling-pointer: “Harbour contacts” points to harbour-contacts.md" in out
    assert "    fix: Remove the line\n" in out
    assert out.splitlines()[-1].startswith("15 files; 16 of 16 lines of the index are loaded; health ")


def test_show_tells_what_is_there_and_masks_secrets(tmp_path: Path) -> None:
    token = "ghp_" + "aB3" * 12
    (tmp_path / "MEMORY.md").write_text(f"- [A](a.md) — token {token}\n")
    (tmp_path / "a.md").write_text(f"---\nname: a\ndescription: is {token}\ntype: user\n---\n\nSee [[b]].\x1b[2J\n")
    out = (
        run("show", str(tmp_path))
        + run("show", str(tmp_path), "--loaded")
        + json.dumps(document("show", str(tmp_path)))
    )
    assert token not in out
    output = document("show", str(tmp_path))
    assert [file["file"] for file in output["files"]] == ["MEMORY.md", "a.md"]
    assert output["files"][1].items() >= {"type": "user", "links": ["b.md"], "loaded": True, "problems": []}.items()
    assert output["index"]["entries"][0]["file"] == "a.md"
    assert "user " in run("show", str(tmp_path))


def test_what_the_agent_gets_is_printed_with_its_warning(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("- x\n" * 201)
    out = run("show", str(tmp_path), "--loaded").splitlines()
    assert (len(out), out[199], out[200]) == (202, "- x", "")
    assert out[201].startswith("> WARNING: MEMORY.md is 201 lines (limit: 200).")


@pytest.mark.parametrize("verb", ["lint", "show"])
def test_no_directory_is_a_clear_failure(tmp_path: Path, verb: str) -> None:
    with pytest.raises(CommandError, match="does not exist"):
        run(verb, str(tmp_path / "none"))


def test_wrong_usage_ends_with_two(tmp_path: Path) -> None:
    assert lucid(tmp_path, "memory", "lint").returncode == 2
