"""Lines of a transcript: the envelope, the chain of parents and the clock of one file."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random


def quoted(text: str) -> bytes:
    """The inside of a JSON string, as the agent writes it: not ASCII-escaped."""
    return json.dumps(text, ensure_ascii=False)[1:-1].encode()


def uuid_make(rng: Random) -> str:
    digits = f"{rng.getrandbits(128):032x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"


def token_make(rng: Random, prefix: str) -> bytes:
    return f"{prefix}{rng.getrandbits(120):030x}".encode()


@dataclass(slots=True)
class Scribe:
    """Writes one file. `parent` is the row on which the next one hangs."""

    rng: Random
    session_id: str
    cwd: str
    version: str
    git_branch: str
    slug: str
    now: int
    agent_id: str = ""
    parent: str | None = None
    lines: list[bytes] = field(default_factory=list)
    size: int = 0
    head: bytes = b""
    tail: bytes = b""

    def __post_init__(self) -> None:
        self.head = b'"isSidechain":false,'
        if self.agent_id:
            self.head = b'"isSidechain":true,"agentId":"%b",' % self.agent_id.encode()
        self.tail = (
            f'"userType":"external","entrypoint":"cli","cwd":"{self.cwd}","sessionId":"{self.session_id}",'
            f'"version":"{self.version}","gitBranch":"{self.git_branch}","slug":"{self.slug}"}}\n'
        ).encode()

    def sidechain(self, agent_id: str) -> Scribe:
        """The file of a sub-agent that starts now."""
        return Scribe(
            self.rng, self.session_id, self.cwd, self.version, self.git_branch, self.slug, self.now, agent_id=agent_id
        )

    @property
    def timestamp(self) -> bytes:
        moment = datetime.fromtimestamp(self.now / 1000, UTC)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z").encode()

    def chain(self, body: bytes, *, at: str | None = None) -> str:
        """A record with an envelope; hangs on `at`, else on the last one, and is the next one's parent."""
        uuid = uuid_make(self.rng)
        parent = at or self.parent
        self.now += self.rng.randrange(5, 9000)
        self._write(
            b'{"parentUuid":%b,%b%b,"uuid":"%b","timestamp":"%b",%b'
            % (
                b'"%b"' % parent.encode() if parent else b"null",
                self.head,
                body,
                uuid.encode(),
                self.timestamp,
                self.tail,
            )
        )
        self.parent = uuid
        return uuid

    def root(self, body: bytes) -> str:
        self.parent = None
        return self.chain(body)

    def state(self, kind: str, body: bytes) -> None:
        """A record without uuid, outside of the chain."""
        self._write(b'{"type":"%b",%b,"sessionId":"%b"}\n' % (kind.encode(), body, self.session_id.encode()))

    def snapshot(self, message: str, path: bytes, backup: bytes) -> None:
        """The one state record that names no session."""
        self._write(
            b'{"type":"file-history-snapshot","messageId":"%b","snapshot":{"messageId":"%b","trackedFileBackups":{"%b":'
            b'{"backupFileName":"%b@v1","version":1,"backupTime":"%b"}},"timestamp":"%b"},"isSnapshotUpdate":false}\n'
            % (message.encode(), message.encode(), path, backup, self.timestamp, self.timestamp)
        )

    def _write(self, line: bytes) -> None:
        self.lines.append(line)
        self.size += len(line)


@dataclass(slots=True)
class Meter:
    """The context as the API would bill it: it grows with every message and falls at a compaction."""

    tokens: int = 15_000
    cached: int = 0

    def add(self, size: int) -> None:
        self.tokens += size // 4

    def usage(self, output: int) -> bytes:
        written = max(0, self.tokens - self.cached)
        return (
            f'{{"input_tokens":{3 + output % 7},"cache_creation_input_tokens":{written},'
            f'"cache_read_input_tokens":{self.cached},"cache_creation":{{"ephemeral_5m_input_tokens":0,'
            f'"ephemeral_1h_input_tokens":{written}}},"output_tokens":{output},"service_tier":"standard",'
            f'"inference_geo":"not_available","server_tool_use":{{"web_search_requests":0,"web_fetch_requests":0}},'
            f'"iterations":[],"speed":"standard"}}'
        ).encode()

    def sent(self) -> None:
        self.cached = self.tokens
