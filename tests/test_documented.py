"""Whatever Lucid has a name for is documented, and what the documents name exists: commands, kinds of runs and of
compactions, rules of both linters, causes of cache breaks, targets of make. tests/inspector/test_settings.py does the
same for settings."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from compaction.cache.engine.causes.cause_names import CauseName
from compaction.kinds.engine.specs import KINDS
from inspector.runs.kinds import list_run_kinds
from memory.lint.engine import RULES
from tests.command_reference import (
    EXAMPLES,
    PAGE,
    arguments_of,
    command_parsers,
    help_of,
    leaf_parsers,
    reference,
    spelling,
    verb_parsers,
)

ROOT = Path(__file__).resolve().parents[1]
NOWHERE = "no-such-name"


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Things that exist in the program, and where they are documented."""

    things: str
    page: str
    existing: Callable[[], set[str]]
    documented: Callable[[str], set[str]]
    """The names in the text of the page."""

    @property
    def text(self) -> str:
        return (ROOT / self.page).read_text(encoding="utf-8")

    def undocumented(self, text: str) -> list[str]:
        return sorted(self.existing() - self.documented(text))

    def nonexistent(self, text: str) -> list[str]:
        return sorted(self.documented(text) - self.existing())


def section(text: str, heading: str) -> str:
    """From a heading to the next one that is not below it; empty if it is not there."""
    level = heading.partition(" ")[0]
    begin = re.search(rf"^{re.escape(heading)}$", text, re.MULTILINE)
    if begin is None:
        return ""
    rest = text[begin.end() :]
    end = re.search(rf"^#{{1,{len(level)}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def in_table(heading: str) -> Callable[[str], set[str]]:
    """The names in the first column of the tables of a section."""

    def names(text: str) -> set[str]:
        cells = re.findall(r"^\| (`[^|]*`) \|", section(text, heading), re.MULTILINE)
        return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}

    return names


def compaction_headings(text: str) -> set[str]:
    return set(re.findall(r"^### (.+)$", section(text, "## The kinds"), re.MULTILINE))


def command_headings(text: str) -> set[str]:
    return set(re.findall(r"^###? lucid (.+)$", text, re.MULTILINE))


@cache
def commands_and_verbs() -> set[str]:
    parsers = command_parsers()
    return {*parsers, *(f"{name} {verb}" for name, parser in parsers.items() for verb in verb_parsers(parser))}


@cache
def makefile_rules() -> set[str]:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY:((?:.*\\\n)*.*)$", makefile, re.MULTILINE)
    assert phony is not None
    return {*re.findall(r"^([a-z][a-z-]*):(?!=)", makefile, re.MULTILINE), *phony[1].replace("\\\n", " ").split()}


def targets_in_help(makefile: str) -> set[str]:
    """Those that `make help` lists: it looks for the same."""
    return set(re.findall(r"^([a-z-]+):.*## \S", makefile, re.MULTILINE))


def findings_of(module: ast.Module) -> Iterator[ast.expr]:
    """What is given as the rule wherever a finding of the request linter is made."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Finding":
            yield node.args[0]


@cache
def request_rules() -> set[str]:
    rules: set[str] = set()
    for path in (ROOT / "sessions" / "lint" / "engine").rglob("*.py"):
        for rule in findings_of(ast.parse(path.read_text(encoding="utf-8"))):
            assert isinstance(rule, ast.Constant), f"{path}:{rule.lineno}: the name of a rule has to be written out"
            rules.add(str(rule.value))
    return rules


CATALOGUES = [
    Catalogue("commands", "docs/commands.md", commands_and_verbs, command_headings),
    Catalogue(
        "kinds of runs", "docs/architecture.md", lambda: {kind.name for kind in list_run_kinds()}, in_table("## Runs")
    ),
    Catalogue("kinds of compactions", "docs/compaction.md", lambda: set(map(str, KINDS)), compaction_headings),
    Catalogue("rules for requests", "docs/engine.md", request_rules, in_table("### Rules")),
    Catalogue("findings in memory", "docs/memory.md", lambda: set(RULES), in_table("## The linter")),
    Catalogue("causes of cache breaks", "docs/cache.md", lambda: set(map(str, CauseName)), in_table("## Causes")),
    Catalogue("targets of make", "Makefile", makefile_rules, targets_in_help),
]
each_catalogue = pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda catalogue: catalogue.things)


@each_catalogue
def test_all_that_exists_is_documented(catalogue: Catalogue) -> None:
    missing = catalogue.undocumented(catalogue.text)
    assert not missing, f"{catalogue.things} that {catalogue.page} does not document: {', '.join(missing)}"


@each_catalogue
def test_all_that_is_documented_exists(catalogue: Catalogue) -> None:
    invented = catalogue.nonexistent(catalogue.text)
    assert not invented, f"{catalogue.things} in {catalogue.page} that do not exist: {', '.join(invented)}"


@each_catalogue
def test_a_page_with_a_wrong_name_is_noticed_whichever_name_it_is(catalogue: Catalogue) -> None:
    names = catalogue.existing()
    assert len(names) > 5
    for name in names:
        # A command's name also begins those of its verbs, and a target's name those of others: only whole names.
        whole = rf"(?<=`){re.escape(name)}(?=`)|^(#+ (?:lucid )?){re.escape(name)}$|^{re.escape(name)}(?=:)"
        wrong = re.sub(whole, lambda match: f"{match[1] or ''}{NOWHERE}", catalogue.text, flags=re.MULTILINE)
        assert catalogue.undocumented(wrong) == [name]
        assert catalogue.nonexistent(wrong) == [NOWHERE]


@each_catalogue
def test_an_empty_page_documents_nothing(catalogue: Catalogue) -> None:
    assert catalogue.undocumented("") == sorted(catalogue.existing())


def test_the_command_reference_is_what_the_commands_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), "`make docs` writes it anew"


def test_every_command_has_examples_that_it_accepts() -> None:
    parsers = leaf_parsers()
    assert EXAMPLES.keys() == parsers.keys()
    commands = command_parsers()
    for name, examples in EXAMPLES.items():
        assert 1 <= len(examples) <= 3, name
        for example in examples:
            lucid, command, *arguments = shlex.split(example)
            assert lucid == "lucid"
            assert example.startswith(f"lucid {name}")
            commands[command].parse_args(arguments)


def test_every_command_and_verb_is_a_sentence_on_one_line() -> None:
    parsers = command_parsers() | leaf_parsers()
    bad = [name for name, parser in parsers.items() if not re.fullmatch(r"[A-Z].+\.", parser.description or "")]
    assert bad == []


def test_every_argument_says_what_it_is_for_and_what_holds_without_it() -> None:
    bad = []
    for name, parser in leaf_parsers().items():
        for argument in arguments_of(parser):
            words = help_of(argument)
            # A flag is off without it; that needs no words.
            has_default = argument.nargs != 0 and argument.default not in (None, "", [])
            if not words or "\n" in words or "|" in words or (has_default and "default" not in words):
                bad.append(f"lucid {name} {spelling(argument)}: {words!r}")
    assert bad == []
