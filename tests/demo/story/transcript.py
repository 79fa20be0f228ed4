"""One file of records: envelope, order of the keys, parents, names. It knows nothing of what the records say."""

from __future__ import annotations

import json
from dataclasses import dataclass

from tests.demo.story.blanks import Blanks
from tests.demo.story.blocks import Record
from tests.demo.story.clock import Clock
from tests.demo.story.ids import uid
from tests.demo.story.ledger import Ledger

SLUG = "-home-dev-tidewatch"
ZERO = "00000000-0000-0000-0000-000000000000"


def encode(record: Record) -> bytes:
    """As the client writes it: no blanks, no ASCII escapes."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()


@dataclass(slots=True)
class Setting:
    """What the envelope repeats on every row; it may change while the session goes on."""

    session: str
    version: str = "2.1.325"
    cwd: str = "/home/dev/tidewatch"
    branch: str = "main"
    entrypoint: str = "cli"
    slug: str | None = None
    agent: str | None = None
    inline: bool = False
    """A sub-agent whose rows stand in the main file (before 2.0.28)."""
    twice: bool = False
    """Whether `session_id` repeats the id, as it does once the session is under way."""

    @property
    def old(self) -> bool:
        return self.version.startswith("2.0.")

    @property
    def sidechain(self) -> bool:
        return self.inline or self.agent is not None

    def head(self) -> Record:
        if not self.old:
            return {"isSidechain": self.sidechain}
        return {"isSidechain": self.sidechain, **self._ambient(), **({"agentId": self.agent} if self.agent else {})}

    def foot(self) -> Record:
        if self.old:
            return {}
        twin = {"session_id": self.session} if self.twice else {}
        return {**twin, **self._ambient(), **({"slug": self.slug} if self.slug else {})}

    def _ambient(self) -> Record:
        ambient: Record = {"userType": "external"}
        if not self.old:
            ambient["entrypoint"] = self.entrypoint
        ambient |= {"cwd": self.cwd, "sessionId": self.session, "version": self.version, "gitBranch": self.branch}
        if self.old and self.slug:
            ambient["slug"] = self.slug
        return ambient


@dataclass(frozen=True, slots=True)
class Place:
    position: int
    uuid: str | None


class Transcript:
    def __init__(self, label: str, path: str, setting: Setting, clock: Clock) -> None:
        self.label = label
        self.path = path
        self.setting = setting
        self.clock = clock
        self.ledger = Ledger()
        self.blanks = Blanks()
        self.lines: list[bytes] = []
        self.places: dict[str, Place] = {}
        self.written: list[Record] = []
        self.cut = b""
        self.tip: str | None = None

    @property
    def session(self) -> str:
        return self.setting.session

    def state(self, record: Record, name: str | None = None) -> None:
        """A record without a uuid."""
        self._append(record, name)

    def chain(
        self, body: Record, name: str | None = None, parent: str | None = None, root: Record | None = None
    ) -> str:
        """A record of the conversation, after `parent` or after the last one; `root` starts a new chain."""
        uuid = uid(f"{self.label}/{name or len(self.written)}")
        record: Record = {"parentUuid": None if root is not None else parent or self.tip, **(root or {})}
        record |= self.setting.head()
        record |= {key: uuid if key == "uuid" else value for key, value in body.items()}
        record |= self.setting.foot()
        self._append(record, name)
        self.tip = uuid
        return uuid

    def again(self, record: Record, name: str | None = None) -> None:
        """A whole record, as it is: a copy from another file, or one that is written twice."""
        self._append(record, name)

    def uuid(self, name: str) -> str:
        uuid = self.places[name].uuid
        if uuid is None:
            raise LookupError(f"{self.label}/{name} has no uuid")
        return uuid

    def content(self) -> bytes:
        return self.blanks.filled(b"".join(line + b"\n" for line in self.lines) + self.cut)

    def records(self) -> list[Record]:
        """As they are on disk."""
        return [json.loads(line) for line in self.content().splitlines()]

    def _append(self, record: Record, name: str | None) -> None:
        if name:
            if name in self.places:
                raise ValueError(f"{self.label}: two records are called {name}")
            self.places[name] = Place(self.ledger.records, record.get("uuid"))
        self.ledger.type(record["type"])
        self.written.append(record)
        self.lines.append(encode(record))
