"""A whole session: turns until the wanted size is reached, with sub-agents, spilled output and planted needles."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from random import Random

from benchmarks.corpus.conversation import MODELS, WINDOW, Conversation
from benchmarks.corpus.plan import SessionPlan
from benchmarks.corpus.planting import plant
from benchmarks.corpus.pools import BREAK, Pools
from benchmarks.corpus.records import Scribe, quoted, uuid_make
from benchmarks.corpus.tools import Call, bash

VERSIONS = ("2.1.34", "2.1.49", "2.1.119", "2.1.172", "2.1.217", "2.1.232", "2.1.237", "2.1.237")
EPOCH = 1_772_323_200_000
PREVIEW = 2000


@dataclass(slots=True)
class Session:
    plan: SessionPlan
    pools: Pools
    rng: Random
    main: Conversation
    agents: list[Conversation] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    """Of the session's own directory: sub-agents, their meta files, spilled output."""
    size: int = 0

    def write(self) -> None:
        self.open()
        pending = list(self.plan.needles)
        while self.written < self.plan.size:
            self.turn()
            if pending and self.written > self.plan.size // 2:
                plant(self, pending.pop())
        for needle in pending:
            plant(self, needle)
        for agent in self.agents:
            self.files[f"subagents/agent-{agent.scribe.agent_id}.jsonl"] = b"".join(agent.scribe.lines)

    @property
    def written(self) -> int:
        return self.main.scribe.size + (0 if self.plan.solo else self.size)

    def open(self) -> None:
        scribe = self.main.scribe
        title = b" ".join(
            self.pools.prose(self.rng, 90).replace(BREAK, b" ").replace(b"\\", b"").replace(b'"', b"").split()[:7]
        )
        scribe.state("mode", b'"mode":"normal"')
        scribe.state("permission-mode", b'"permissionMode":"default"')
        scribe.state("ai-title", b'"aiTitle":"%b"' % title)
        names = b",".join(b'"%b"' % name.encode() for name in self.rng.choices(self.pools.vocabulary.identifiers, k=40))
        self.main.attach(
            "deferred_tools_delta", b'"addedNames":[%b],"addedLines":[%b],"removedNames":[]' % (names, names)
        )
        listing = self.pools.prose(self.rng, 6000)
        self.main.attach("skill_listing", b'"content":"%b","skillCount":13,"isInitial":true' % listing)

    def turn(self) -> None:
        main, rng = self.main, self.rng
        if main.meter.tokens > WINDOW:
            main.compact(self.pools.prose(rng, main.size(7000, 0.3)))
        if rng.random() < 0.06:
            main.model = rng.choice(MODELS)
        before = main.scribe.parent
        main.prompt(self.pools.prose(rng, main.size(750, 1.1)))
        if rng.random() < 0.03:
            main.answer([b'{"type":"text","text":"%b"}' % self.pools.prose(rng, 300)], done=True)
            main.scribe.parent = before
            main.prompt(self.pools.prose(rng, main.size(750, 1.1)))
        for _ in range(min(60, main.size(8, 0.8))):
            main.step()
            if main.meter.tokens > WINDOW:
                main.compact(self.pools.prose(rng, main.size(7000, 0.3)))
            self.aside()
            if self.written > self.plan.size:
                break
        main.close()

    def aside(self) -> None:
        """What now and then happens between two requests."""
        roll, main = self.rng.random(), self.main
        if roll < 0.05:
            main.attach("task_reminder", b'"content":[],"itemCount":0')
        elif roll < 0.09:
            shown = self.pools.output(self.rng, main.size(1200))
            main.attach("edited_text_file", b'"filename":"%b","snippet":"%b"' % (main.file().path, shown))
        elif roll < 0.10:
            main.queued(self.pools.prose(self.rng, main.size(200)))
        elif roll < 0.104:
            self.screenshot()
        elif roll < 0.108:
            self.spill(self.pools.output(self.rng, main.size(140_000, 0.4)))
        elif roll < 0.13 and self.plan.size > 120_000 and not self.plan.solo:
            self.delegate(self.pools.prose(self.rng, main.size(900)), self.plan.size // 30)

    def screenshot(self) -> None:
        data = self.pools.base64(self.rng, 4 * min(50_000, self.main.size(12_000, 0.6)))
        self.main.scribe.chain(
            b'"type":"user","message":{"role":"user","content":[{"type":"text","text":"[Image #1]"},{"type":"image",'
            b'"source":{"type":"base64","media_type":"image/png","data":"%b"}}]}' % data
        )

    def spill(self, output: bytes) -> None:
        """A result too large for the transcript: a preview there, the text in a file beside it."""
        name = f"b{self.rng.getrandbits(40):010x}.txt"
        text: str = json.loads(b'"%b"' % output)
        self.files[f"tool-results/{name}"] = text.encode()
        self.size += len(output)
        path = f"/home/dev/.claude/projects/{self.plan.project}/{self.plan.session_id}/tool-results/{name}"
        note = f"Output too large ({len(text) / 1024:.1f}KB). Full output saved to: {path}\n\nPreview (first 2KB):\n"
        content = quoted(f"<persisted-output>\n{note}{text[:PREVIEW]}\n...\n</persisted-output>")
        call = bash(self.rng, self.pools, self.main.file(), output=content)
        twin = (
            b'{"stdout":"%b","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false,'
            b'"persistedOutputPath":"%b","persistedOutputSize":%d}'
        ) % (quoted(text[:PREVIEW]), path.encode(), len(text))
        self.main.calls([Call("Bash", call.input, content, twin)], [])

    def delegate(self, answer: bytes, budget: int, *, output: bytes = b"") -> None:
        """A sub-agent with a file of its own; the session keeps the prompt and the last words."""
        main, rng = self.main, self.rng
        agent_id = f"a{rng.getrandbits(64):016x}"
        agent = Conversation(main.scribe.sidechain(agent_id), self.pools, rng.choice(MODELS), files=list(main.files))
        prompt = self.pools.prose(rng, 800)
        agent.prompt(prompt)
        while agent.scribe.size < min(budget, 600_000):
            agent.step()
        if output:
            agent.calls([bash(rng, self.pools, agent.file(), output=output)], [])
        agent.answer([b'{"type":"text","text":"%b"}' % answer], done=True)
        self.agents.append(agent)
        self.size += agent.scribe.size
        main.scribe.now = agent.scribe.now
        meta = {"agentType": "Explore", "description": "Look around", "spawnDepth": 1}
        self.files[f"subagents/agent-{agent_id}.meta.json"] = json.dumps(meta).encode()
        tail = b"\\n\\nagentId: %b" % agent_id.encode()
        twin = (
            b'{"status":"completed","prompt":"%b","agentId":"%b","content":[{"type":"text","text":"%b"}],'
            b'"totalDurationMs":%d,"totalTokens":%d,"totalToolUseCount":%d}'
        ) % (prompt, agent_id.encode(), answer, rng.randrange(90_000), agent.meter.tokens, len(agent.scribe.lines) // 3)
        request = b'{"description":"Look around","prompt":"%b","subagent_type":"Explore"}' % prompt
        main.calls([Call("Agent", request, answer + tail, twin)], [])

    def around(self, text: bytes, size: int) -> bytes:
        """The needle on a line of its own in the middle of a command's output."""
        return BREAK.join((self.pools.output(self.rng, size // 2), text, self.pools.output(self.rng, size // 2)))

    def within(self, text: bytes, size: int) -> bytes:
        return self.pools.prose(self.rng, size) + b" " + text + b" " + self.pools.prose(self.rng, size)

    def run(self, **given: bytes) -> None:
        self.main.calls([bash(self.rng, self.pools, self.main.file(), **given)], [])


def session_make(plan: SessionPlan, pools: Pools, seed: int) -> Session:
    rng = Random(f"session {seed} {plan.session_id}")
    slug = "-".join(rng.choices([word for word in pools.vocabulary.words[200:2000] if word.isalpha()], k=3))
    scribe = Scribe(
        rng,
        plan.session_id,
        plan.cwd,
        rng.choice(VERSIONS),
        rng.choice(("main", "main", "fix/retry", "feature/index")),
        slug,
        EPOCH + rng.randrange(90 * 86_400_000),
    )
    session = Session(plan, pools, rng, Conversation(scribe, pools, rng.choice(MODELS), prompt_id=uuid_make(rng)))
    session.write()
    return session
