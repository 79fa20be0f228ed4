"""What the documents name must exist: commands, options, targets, addresses, settings, files, links and numbers."""

from __future__ import annotations

import re
import shlex
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class
from django.urls import Resolver404, resolve

from inspector.watcher import follow
from sessions.archive.engine.frames import BLOCK_SIZE
from sessions.search.selectors import indexed_search
from sessions.search.views import search as search_view
from sessions.transcripts.engine.entry_ids import BLOCK_BITS, POSITION_BITS

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PAGES = ROOT / "docs" / "pages.md"
NUMBERS = ROOT / "docs" / "benchmarks.md"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
OUR_PACKAGES = ("benchmarks", "compaction", "docs", "inspector", "memory", "sessions", "templates", "tests")
LINK = re.compile(r'\]\((?!https?:|#)([^)#\s]+)[^)]*\)|(?:src|srcset)="([^"]+)"')


def names(documents: list[Path]) -> list[str]:
    return [str(document.relative_to(ROOT)) for document in documents]


def fenced(document: Path) -> Iterator[str]:
    """The lines of code blocks, without comments and without what they are piped into."""
    for block in re.findall(r"^```\w*\n(.*?)^```", document.read_text(), re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            yield re.split(r"\s#\s|\s\|\s", line)[0].strip()


def quoted(document: Path) -> Iterator[str]:
    prose = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    yield from re.findall(r"`([^`\n]+)`", prose)


@pytest.mark.parametrize("document", DOCUMENTS, ids=names(DOCUMENTS))
def test_links_and_files_exist(document: Path) -> None:
    links = [item or other for item, other in LINK.findall(document.read_text())]
    if not (ROOT / "docs" / "screenshots").is_dir():
        links = [link for link in links if "screenshots/" not in link]
    missing = [link for link in links if not (document.parent / link).exists()]
    paths = [word for word in quoted(document) if re.fullmatch(rf"({'|'.join(OUR_PACKAGES)})/[\w./-]+", word)]
    missing += [path for path in paths if not (ROOT / path).exists() and "results" not in path and "data" not in path]
    assert missing == []


def options_of(parser: ArgumentParser, arguments: list[str]) -> set[str]:
    """Those of the command, or of the verb that follows it."""
    verbs = [action.choices for action in parser._actions if isinstance(action, _SubParsersAction)]
    verb = next((choices[arguments[0]] for choices in verbs if arguments), parser)
    return set(verb._option_string_actions)


@pytest.mark.parametrize("document", DOCUMENTS, ids=names(DOCUMENTS))
def test_commands_exist_with_their_options(document: Path) -> None:
    lines = [
        line for line in [*fenced(document), *quoted(document)] if re.match(r"lucid [a-z]", line) and "──" not in line
    ]
    for name, *arguments in (shlex.split(line)[1:] for line in lines):
        app = get_commands().get(name)
        assert isinstance(app, str), f"there is no command {name}"
        options = {argument for argument in arguments if argument.startswith("--")}
        known = options_of(load_command_class(app, name).create_parser("lucid", name), arguments)
        assert options <= known, f"lucid {name} {options}"


def test_the_examples_of_commands_are_complete() -> None:
    examples = [line for line in fenced(PAGES) if line.startswith("lucid ")]
    assert len(examples) > 6
    for _, name, *arguments in map(shlex.split, examples):
        app = get_commands()[name]
        assert isinstance(app, str)
        load_command_class(app, name).create_parser("lucid", name).parse_args(arguments)


@pytest.mark.parametrize("document", DOCUMENTS, ids=names(DOCUMENTS))
def test_targets_of_make_exist(document: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    matches = re.findall(r"(?:^|`)make ([a-z]+)", document.read_text(), re.MULTILINE)
    assert set(matches) <= targets


def test_the_readme_takes_a_minute() -> None:
    assert len(README.read_text().splitlines()) <= 90


def test_every_address_in_the_table_of_pages_leads_to_a_view() -> None:
    addresses = [word for word in quoted(PAGES) if re.fullmatch(r"/(?:[\w<>-]+/)*", word)]
    assert len(addresses) > 8
    for address in addresses:
        try:
            resolve(re.sub(r"<\w+>", "abc", address.replace("<number>", "7")))
        except Resolver404:
            pytest.fail(f"there is no page {address}")


def test_every_setting_that_a_document_names_is_in_the_table() -> None:
    known = set(re.findall(r"^\| `([A-Z_]+)` \|", (ROOT / "docs" / "configuration.md").read_text(), re.MULTILINE))
    for document in DOCUMENTS:
        text = document.read_text()
        named = set(re.findall(r"\b(?:LUCID_[A-Z_]+|DATABASE_URL|REDIS_URL|CLAUDE_CONFIG_DIR)\b", text))
        assert named - {"LUCID_BENCH_DATA"} <= known, document.name


@pytest.mark.parametrize(
    "sentence",
    [
        f"`transcript << {POSITION_BITS} | position`",
        f"`source << {BLOCK_BITS} | number`, and blocks hold {BLOCK_SIZE // 1024} KiB",
        f"up to {indexed_search.MAX_SORTED:,} matches",
        f"slices of {search_view.SLICE_SECONDS} seconds",
        "a full look every five minutes",
    ],
)
def test_numbers_of_the_architecture_are_those_of_the_code(sentence: str) -> None:
    assert sentence in " ".join(ARCHITECTURE.read_text().split())
    assert follow.RESCAN_SECONDS == 5 * 60


def test_the_place_for_the_numbers_is_there() -> None:
    assert re.search(r"^<!-- numbers -->\n.+^<!-- /numbers -->$", NUMBERS.read_text(), re.MULTILINE | re.DOTALL)


def test_every_command_of_a_person_is_among_the_examples_or_in_the_changelog() -> None:
    ours = {name for name, app in get_commands().items() if app in ("inspector", "sessions")}
    text = PAGES.read_text() + (ROOT / "CHANGELOG.md").read_text()
    assert ours - {"watch"} <= set(re.findall(r"(?:lucid |`)([a-z-]+)", text))
