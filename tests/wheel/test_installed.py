"""Lucid as somebody has it who installed it: from a wheel, without the tree, started anywhere."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from inspector import __version__
from tests.serving import ROOT, Program, Server, wait_until
from tests.wheel.browsing import Browser, addresses_of_the_pages
from tests.wheel.building import PACKAGES, wheel_in
from tests.wheel.environments import EXTRAS, PYTHONS, imported_from, interpreter, linked_environment, real_environment

SESSION = "7446aeed-5c8c-513e-a5af-e6bd525f2f4a"
PROJECT = "-home-dev-tidewatch"
DEMO = ROOT / "sessions" / "demo"
QUERIES = {"/memory/<number>/edit/": "?name=utc-inside.md"}
"""What a page has to be asked for beside its address."""


@dataclass
class Installed:
    program: Program
    home: Path

    def run(self, *arguments: str, **extra: str) -> str:
        result = self.program.run(self.home, *arguments, **extra)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def json(self, *arguments: str, **extra: str) -> Any:
        return json.loads(self.run(*arguments, "--json", **extra))

    @contextmanager
    def serving_demo(self) -> Iterator[Server]:
        with self.program.serving(self.home, "--demo") as server:
            wait_until(lambda: server.get(f"/sessions/{SESSION}/").status == 200)
            wait_until(lambda: server.get("/health/").status == 200)
            yield server


@pytest.fixture(scope="module", params=[pytest.param("all extras", marks=pytest.mark.long), "no extras"])
def installed(request: pytest.FixtureRequest, release: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("installed")
    without = EXTRAS if request.param == "no extras" else frozenset()
    return Installed(linked_environment(folder / "env", wheel_in(release), without=without), folder / "home")


def test_nothing_comes_from_the_tree(installed: Installed) -> None:
    environment = installed.program.cwd.parent
    for package in PACKAGES:
        assert imported_from(installed.program, package).startswith(f"{environment}/lib/")
    for package in ("tests", "benchmarks", "pytest"):
        assert imported_from(installed.program, package) == ""


def test_the_command_line_works(installed: Installed, tmp_path: Path) -> None:
    check_commands(Installed(installed.program, tmp_path / "home"))


def test_every_page_of_the_demo_comes_with_all_that_it_shows(installed: Installed) -> None:
    check_pages(installed)


def test_without_its_driver_lucid_says_what_postgresql_needs(installed: Installed, tmp_path: Path) -> None:
    result = installed.program.run(tmp_path / "home", "sessions", DATABASE_URL="postgres://user@127.0.0.1:1/x")
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1
    has_driver = imported_from(installed.program, "psycopg") != ""
    assert ("install lucid-inspector[postgres]" in result.stderr) is not has_driver


@pytest.mark.long
@pytest.mark.parametrize("extras", [True, False], ids=["all extras", "no extras"])
@pytest.mark.parametrize("version", PYTHONS)
def test_a_release_can_be_installed_from_an_index(version: str, extras: bool, release: Path, tmp_path: Path) -> None:
    python = interpreter(version)
    if not python:
        pytest.skip(f"Python {version} is not installed")
    program = real_environment(tmp_path / "env", python, wheel_in(release), extras=extras)
    for name in ("httptools", "psycopg", "uvloop"):
        assert (imported_from(program, name) != "") is extras
    check_commands(Installed(program, tmp_path / "commands"))
    check_pages(Installed(program, tmp_path / "home"))


def check_commands(installed: Installed) -> None:
    assert installed.run("--version") == f"lucid {__version__}\n"
    assert re.search(r"^  import +\w", installed.run("--help"), re.MULTILINE)
    report = installed.json("import", str(DEMO))
    assert report["new_entries"] > 100
    context = installed.json("context", SESSION)
    assert context["messages"]
    assert context["tokens"]["total"] > 0


def check_pages(installed: Installed) -> None:
    with installed.serving_demo() as server:
        browser = Browser(server)
        values = values_of_the_demo(installed, browser)
        for address in addresses_of_the_pages():
            browser.page(filled_in(address, values) + QUERIES.get(address, ""))
        documents = browser.docs()
    assert len(documents) >= len(list((ROOT / "docs").glob("*.md"))) - 1
    output = browser.asset_names()
    assert {"lucid.js", "lucid.svg", "base.css"} <= output
    assert any(name.startswith("htmx") for name in output)
    assert any(name.endswith(".png") for name in output)


def values_of_the_demo(installed: Installed, browser: Browser) -> dict[str, str]:
    """What stands in angle brackets in docs/pages.md, in the order in which it is to be replaced."""
    memory = installed.home.parent / "config" / "projects" / "-home-dev-copy" / "memory"
    shutil.copytree(DEMO / "projects" / PROJECT / "memory", memory)
    dream = installed.json("dream", str(memory))
    assert dream["status"] == "completed"
    return {
        "proposals/<number>": first(browser.page(f"/runs/{dream['run']}/"), r"/memory/(proposals/\d+)/"),
        "run-<number>": f"run-{installed.json('compact', SESSION, '--kind', 'microcompact')['run']}",
        "<number>": first(browser.page("/memory/"), r"/memory/(\d+)/"),
        "<id>": SESSION,
        "<message>": installed.json("requests", SESSION)[0]["message_id"],
        "<uuid>": first(browser.page(f"/sessions/{SESSION}/"), r"/sessions/[\w-]+/entries/([\w-]+)/"),
        "<project>": PROJECT,
    }


def filled_in(address: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        address = address.replace(name, value)
    assert "<" not in address, address
    return address


def first(links: set[str], pattern: str) -> str:
    result = [match[1] for link in sorted(links) if (match := re.fullmatch(pattern, link))]
    assert result, (pattern, links)
    return result[0]
