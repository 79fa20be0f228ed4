"""States of a home to begin an attempt with: made once, kept aside, and put back before each attempt. The database of a
server is kept aside as a database of its own, which PostgreSQL copies."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.flips import flip
from tests.faults.scenarios import COMPACT, NEW, Begin
from tests.faults.tree import write_memory, write_sessions
from tests.faults.warm import Ended, Warm


@dataclass(slots=True)
class States:
    warm: Warm
    server: str = ""
    """The address of the PostgreSQL, if there is one; `database` is the one that attempts use."""
    database: str = ""
    _made: dict[Begin, Path] = field(default_factory=dict)

    @property
    def database_name(self) -> str:
        return "PostgreSQL" if self.server else "SQLite"

    def put_back(self, begin: Begin) -> None:
        if begin not in self._made:
            self._make(begin)
        self.warm.place.put_back(self._made[begin])
        if self.server:
            self._copy_database(f"{self.database}_{begin}", self.database)

    def _make(self, begin: Begin) -> None:
        match begin:
            case Begin.EMPTY:
                self.warm.place.put_back(self.warm.place.folder / "nothing")
                self.warm.place.home.mkdir()
                if self.server:
                    self._run(
                        f'DROP DATABASE IF EXISTS "{self.database}" WITH (FORCE)', f'CREATE DATABASE "{self.database}"'
                    )
            case Begin.READY | Begin.LARGE:
                self.put_back(Begin.EMPTY)
                self._done(self.warm.lucid("check"))
                large = begin is Begin.LARGE
                size = {"sessions": 2, "turns": 30, "letters": 28_000} if large else {}
                write_sessions(self.warm.place.config, **size)
                write_memory(self.warm.place.config)
            case Begin.IMPORTED:
                self.put_back(Begin.READY)
                self._done(self.warm.do("next_start"))
            case Begin.EDITED:
                self.put_back(Begin.IMPORTED)
                self._done(self.warm.do("pages", {"posts": [["/memory/1/new/", NEW]]}))
            case Begin.COMPACTED:
                self.put_back(Begin.IMPORTED)
                self._done(self.warm.lucid(*COMPACT))
                self.warm.place.exports.mkdir()
            case Begin.SAVED:
                self._save()
            case Begin.DAMAGED:
                self.put_back(Begin.IMPORTED)
                flip(self.warm.place.home, random.Random(14))
        self._keep(begin)

    def _save(self) -> None:
        self.put_back(Begin.COMPACTED)
        backup = self.warm.place.exports / "home.lucid"
        self._done(self.warm.lucid("backup", str(backup)))
        data = backup.read_bytes()
        self.put_back(Begin.IMPORTED)
        backup.parent.mkdir()
        backup.write_bytes(data)

    def _keep(self, begin: Begin) -> None:
        template = self.warm.place.folder / "states" / begin
        self.warm.place.keep_as(template)
        if self.server:
            self._copy_database(self.database, f"{self.database}_{begin}")
        self._made[begin] = template

    def _copy_database(self, source: str, target: str) -> None:
        self._run(
            f'DROP DATABASE IF EXISTS "{target}" WITH (FORCE)',
            f'CREATE DATABASE "{target}" TEMPLATE "{source}" STRATEGY FILE_COPY',
        )

    def _run(self, *statements: str) -> None:
        import psycopg

        with psycopg.connect(self.server, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    @staticmethod
    def _done(ended: Ended) -> Any:
        assert ended.status == 0, ended.output
