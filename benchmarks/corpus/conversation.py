"""What happens in a session: prompts, split answers, calls with their results, hooks, compactions, rewinds."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from random import Random

from benchmarks.corpus.pools import Pools
from benchmarks.corpus.records import Meter, Scribe, quoted, token_make, uuid_make
from benchmarks.corpus.tools import Call, File, call_draw, file_make

MODELS = (b"claude-opus-4-6", b"claude-opus-4-6", b"claude-sonnet-4-6", b"claude-haiku-4-5-20251001")
WINDOW = 165_000


@dataclass(slots=True)
class Conversation:
    """One file in the making."""

    scribe: Scribe
    pools: Pools
    model: bytes
    prompt_id: str = ""
    meter: Meter = field(default_factory=Meter)
    files: list[File] = field(default_factory=list)
    dropped: int = 0

    @property
    def rng(self) -> Random:
        return self.scribe.rng

    @property
    def hooks_are_progress(self) -> bool:
        """Up to 2.1.81 hooks and running commands wrote `progress` rows; later ones write attachments."""
        return int(self.scribe.version.split(".")[2]) <= 81

    def size(self, typical: int, spread: float = 0.9) -> int:
        return int(self.rng.lognormvariate(math.log(typical), spread))

    def file(self) -> File:
        if len(self.files) < 6 or self.rng.random() < 0.04:
            self.files.append(file_make(self.rng, self.pools, self.scribe.cwd))
        return self.rng.choice(self.files[-5:])

    def prompt(self, text: bytes) -> str:
        self.prompt_id = uuid_make(self.rng)
        self.meter.add(len(text))
        return self.scribe.chain(
            b'"promptId":"%b","type":"user","message":{"role":"user","content":"%b"},"permissionMode":"default",'
            b'"origin":{"kind":"human"}' % (self.prompt_id.encode(), text)
        )

    def answer(self, blocks: list[bytes], *, done: bool) -> list[str]:
        """One message of the API: a row per block, the same ids, a usage whose output only grows."""
        message, request = token_make(self.rng, "msg_01"), token_make(self.rng, "req_01")
        rows, output = [], self.rng.randrange(1, 9)
        final = output + sum(map(len, blocks)) // 4
        for number, block in enumerate(blocks, 1):
            last = number == len(blocks)
            stop = (b'"end_turn"' if done else b'"tool_use"') if last else b"null"
            body = (
                b'"message":{"model":"%b","id":"%b","type":"message","role":"assistant","content":[%b],"stop_reason":%b,'
                b'"stop_sequence":null,"usage":%b},"requestId":"%b","type":"assistant"'
            ) % (self.model, message, block, stop, self.meter.usage(final if last else output), request)
            rows.append(self.scribe.chain(body))
        self.meter.sent()
        self.meter.add(sum(map(len, blocks)))
        return rows

    def thinking(self, text: bytes) -> bytes:
        signature = self.pools.base64(self.rng, 4 * (60 + min(1800, self.size(900, 0.6)) // 4))
        return b'{"type":"thinking","thinking":"%b","signature":"%b"}' % (text, signature)

    def calls(self, calls: list[Call], before: list[bytes]) -> None:
        """One answer with its calls; each result hangs on the row of its own call."""
        ids = [token_make(self.rng, "toolu_01") for _ in calls]
        uses = [
            b'{"type":"tool_use","id":"%b","name":"%b","input":%b,"caller":{"type":"direct"}}'
            % (call_id, call.name.encode(), call.input)
            for call_id, call in zip(ids, calls, strict=True)
        ]
        rows = self.answer(before + uses, done=False)[len(before) :]
        for call_id, call, row in zip(ids, calls, rows, strict=True):
            self.hooks(call_id, call)
            self.result(call_id, call, row)

    def result(self, call_id: bytes, call: Call, row: str) -> None:
        failed = b',"is_error":true' if call.failed else b""
        twin = b"" if self.scribe.agent_id else b',"toolUseResult":%b' % call.twin
        self.meter.add(len(call.content))
        self.scribe.chain(
            b'"promptId":"%b","type":"user","message":{"role":"user","content":[{"tool_use_id":"%b","type":"tool_result",'
            b'"content":"%b"%b}]}%b,"sourceToolAssistantUUID":"%b"'
            % (self.prompt_id.encode(), call_id, call.content, failed, twin, row.encode()),
            at=row,
        )

    def hooks(self, call_id: bytes, call: Call) -> None:
        if self.rng.random() > (0.75 if self.hooks_are_progress else 0.4):
            return
        if self.hooks_are_progress:
            self.progress(call_id, call)
            return
        self.scribe.chain(
            b'"attachment":{"type":"hook_success","hookName":"PostToolUse:%b","toolUseID":"%b","hookEvent":"PostToolUse",'
            b'"content":"","stdout":"%b","stderr":"","exitCode":0,"command":"$CLAUDE_PROJECT_DIR/hooks/after.sh",'
            b'"durationMs":%d},"type":"attachment"'
            % (call.name.encode(), call_id, self.pools.mention(self.rng), self.rng.randrange(900))
        )

    def progress(self, call_id: bytes, call: Call) -> None:
        head = b'"type":"progress","toolUseID":"%b","parentToolUseID":"%b","data":' % (call_id, call_id)
        if call.name != "Bash" or self.rng.random() < 0.5:
            hook = b'{"type":"hook_progress","hookEvent":"PreToolUse","hookName":"PreToolUse:%b","command":"callback"}'
            self.scribe.chain(head + hook % call.name.encode())
            return
        for second in range(1, self.rng.randrange(2, 5)):
            shown = self.pools.output(self.rng, 200)
            self.scribe.chain(
                head
                + b'{"type":"bash_progress","output":"%b","fullOutput":"%b","elapsedTimeSeconds":%d,"totalLines":%d}'
                % (shown, shown, second, second * 3)
            )

    def attach(self, kind: str, body: bytes) -> None:
        self.scribe.chain(b'"attachment":{"type":"%b",%b},"type":"attachment"' % (kind.encode(), body))

    def queued(self, text: bytes) -> None:
        """Typed while the model works: on disk an operation of the queue, then an attachment."""
        stamp = self.scribe.timestamp
        self.scribe.state("queue-operation", b'"operation":"enqueue","timestamp":"%b","content":"%b"' % (stamp, text))
        self.scribe.state("queue-operation", b'"operation":"remove","timestamp":"%b"' % stamp)
        self.attach("queued_command", b'"prompt":"%b","commandMode":"prompt","origin":{"kind":"human"}' % text)

    def compact(self, summary: bytes) -> None:
        before, leaf = self.meter.tokens, self.scribe.parent or ""
        self.meter = Meter(tokens=15_000 + len(summary) // 4)
        self.dropped += before - self.meter.tokens
        self.scribe.root(
            b'"logicalParentUuid":"%b","type":"system","subtype":"compact_boundary","content":"Conversation compacted",'
            b'"isMeta":false,"level":"info","compactMetadata":{"trigger":"auto","preTokens":%d,"postTokens":%d,'
            b'"durationMs":%d,"cumulativeDroppedTokens":%d}'
            % (leaf.encode(), before, self.meter.tokens, self.rng.randrange(20_000, 120_000), self.dropped)
        )
        opening = quoted("This session is being continued from a previous conversation that ran out of context.\n\n")
        self.scribe.chain(
            b'"type":"user","message":{"role":"user","content":"%b%b"},"isVisibleInTranscriptOnly":true,'
            b'"isCompactSummary":true' % (opening, summary)
        )

    def step(self) -> None:
        """One request that ends in calls."""
        before = []
        if self.rng.random() < 0.5:
            text = b"" if self.rng.random() < 0.6 else self.pools.prose(self.rng, self.size(700))
            before.append(self.thinking(text))
        if self.rng.random() < 0.5:
            before.append(b'{"type":"text","text":"%b"}' % self.pools.prose(self.rng, self.size(800)))
        count = self.rng.choice((1, 1, 1, 1, 2, 3))
        self.calls([call_draw(self.rng, self.pools, self.file()) for _ in range(count)], before)

    def close(self) -> None:
        """The last answer of a turn, and what the client notes after it."""
        text = b'{"type":"text","text":"%b"}' % self.pools.prose(self.rng, self.size(3800))
        row = self.answer([self.thinking(b""), text] if self.rng.random() < 0.4 else [text], done=True)[-1]
        if self.scribe.agent_id:
            return
        self.scribe.chain(
            b'"type":"system","subtype":"stop_hook_summary","hookCount":1,"hookInfos":[{"command":"after-turn","durationMs":'
            b'%d}],"hookErrors":[],"preventedContinuation":false,"stopReason":"","hasOutput":false,"level":"suggestion",'
            b'"toolUseID":"%b"' % (self.rng.randrange(400), uuid_make(self.rng).encode())
        )
        self.scribe.chain(
            b'"type":"system","subtype":"turn_duration","durationMs":%d,"messageCount":%d,"isMeta":false'
            % (self.rng.randrange(4000, 400_000), len(self.scribe.lines))
        )
        self.scribe.state("last-prompt", b'"lastPrompt":"Go on","leafUuid":"%b"' % row.encode())
        self.scribe.snapshot(row, self.file().path, f"{self.rng.getrandbits(64):016x}".encode())
