"""What is tried under faults: where it begins, what is done, and how it can be told that it was done."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Any

from tests.faults.tree import FILES, PROJECT, SESSION, TOPIC
from tests.faults.warm import Warm


class Begin(StrEnum):
    """States of a home to begin with; see states.py."""

    EMPTY = "empty"
    READY = "ready"
    """Migrated, and nothing is imported."""
    LARGE = "large"
    """The same with sessions of several blocks."""
    IMPORTED = "imported"
    EDITED = "edited"
    """With a change of memory that can be undone."""
    COMPACTED = "compacted"
    SAVED = "saved"
    """As imported, with a backup beside it that also holds a compaction."""
    DAMAGED = "damaged"
    """A bit of an archived block has turned over."""


@dataclass(frozen=True, slots=True)
class Scenario:
    name: str
    begin: Begin
    work: str
    arguments: Callable[[Warm], dict[str, Any]] = field(default=lambda _: {})
    counted: str = ""
    """What there is one more of, once it is done."""
    repairs: bool = False
    """The archive is damaged before, and the next start repairs it."""


def _command(*argv: str, **more: Any) -> Callable[[Warm], dict[str, Any]]:
    def arguments(warm: Warm) -> dict[str, Any]:
        memory = str(warm.place.config / "projects" / PROJECT / "memory")
        places = {"MEMORY": memory, "BACKUP": str(warm.place.exports / "home.lucid")}
        return {"argv": [places.get(word, word) for word in argv], **more}

    return arguments


def _pages(*posts: tuple[str, dict[str, str]]) -> Callable[[Warm], dict[str, Any]]:
    return lambda _: {"posts": [list(post) for post in posts]}


def _undo(warm: Warm) -> dict[str, Any]:
    return {"argv": ["memory", "undo", str(warm.do("latest").document["edit"]), "--json"]}


def _export(warm: Warm) -> dict[str, Any]:
    run = warm.do("latest").document["compaction"]
    return {"argv": ["export", str(run), "--to", str(warm.place.exports), "--json"]}


def _record(_: Warm) -> dict[str, Any]:
    return {"name": f"{time.time_ns()}-{secrets.token_hex(8)}"}


TIDES = sha256(FILES["tides.md"].encode()).hexdigest()
NEW = {"name": "lights", "form": "fields", "title": "Lights", "description": "of the pier", "type": "project"}
NEW |= {"text": "Two are red.", "listed": "1", "entry_title": "Lights", "hook": "of the pier"}
FOG = sha256(FILES["fog.md"].encode()).hexdigest()
MERGE = {"name": "tides.md", "other": "fog.md", "expected": TIDES, "other_expected": FOG}
MERGE |= {"text": TOPIC.format(name="tides", body="Twice a day. In fog, stay in.")}
EDIT = {"name": "tides.md", "form": "text", "expected": TIDES, "text": TOPIC.format(name="tides", body="At noon.")}
PRUNE = {"name": "tides.md", "expected": TIDES}
RENAME = {"name": "tides.md", "to": "tide-table.md", "expected": TIDES}
COMPACT = ("compact", SESSION, "--kind", "full", "--model", "mechanical", "--json")

SCENARIOS = (
    Scenario("first start", Begin.EMPTY, "lucid", _command("check", "--json")),
    Scenario("import", Begin.READY, "lucid", _command("import", "--json")),
    Scenario("large import", Begin.LARGE, "lucid", _command("import", "--json", pieces=True)),
    Scenario("new memory", Begin.IMPORTED, "pages", _pages(("/memory/1/new/", NEW))),
    Scenario("rename in memory", Begin.IMPORTED, "pages", _pages(("/memory/1/rename/", RENAME))),
    Scenario("edit memory", Begin.IMPORTED, "pages", _pages(("/memory/1/edit/", EDIT))),
    Scenario("merge in memory", Begin.IMPORTED, "pages", _pages(("/memory/1/merge/", MERGE))),
    Scenario("prune memory", Begin.IMPORTED, "pages", _pages(("/memory/1/prune/", PRUNE))),
    Scenario("undo in memory", Begin.EDITED, "lucid", _undo),
    Scenario(
        "tidy and accept",
        Begin.IMPORTED,
        "lucid",
        _command("dream", "MEMORY", "--model", "mechanical", "--accept", "--json"),
    ),
    Scenario("record a request", Begin.IMPORTED, "record", _record, "captures"),
    Scenario("compaction", Begin.IMPORTED, "lucid", _command(*COMPACT), "compactions"),
    Scenario("export", Begin.COMPACTED, "lucid", _export, "exported"),
    Scenario("queue a run", Begin.IMPORTED, "queue", counted="checks"),
    Scenario("let a browser in", Begin.READY, "admit"),
    Scenario("backup", Begin.COMPACTED, "lucid", _command("backup", "BACKUP", "--replace", "--json")),
    Scenario("repair", Begin.DAMAGED, "lucid", _command("check", "--repair", "--json"), repairs=True),
    Scenario("restore", Begin.SAVED, "lucid", _command("restore", "BACKUP", "--replace", "--json"), "compactions"),
)
RUNS = (
    Scenario(
        "tidy", Begin.IMPORTED, "lucid", _command("dream", "MEMORY", "--model", "mechanical", "--json"), "proposals"
    ),
    Scenario("dream", Begin.IMPORTED, "lucid", _command("dream", "MEMORY", "--json"), "proposals"),
    Scenario("extraction", Begin.IMPORTED, "lucid", _command("extract", SESSION, "--json"), "proposals"),
)
"""With a model to ask; see models.py."""


def scenario(name: str) -> Scenario:
    return next(item for item in (*SCENARIOS, *RUNS) if item.name == name)
