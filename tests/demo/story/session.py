"""A session as it is lived: somebody types, the model answers in steps, tools give results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.demo.story.blocks import Block, Call, Record, Say, Think
from tests.demo.story.clock import Clock
from tests.demo.story.head import SESSION, Head
from tests.demo.story.history import FileHistory
from tests.demo.story.ids import message_id, request_id, uid
from tests.demo.story.ledger import Spending
from tests.demo.story.meter import Usage
from tests.demo.story.requests import Asked, RequestLog
from tests.demo.story.rows import Rows, pace_of
from tests.demo.story.transcript import Setting
from tests.demo.story.workspace import Workspace

ALLOWED = 15_000_000
"""Tokens."""
CAVEAT = (
    "<local-command-caveat>The command below was run directly in the client, not sent to you as a request."
    "</local-command-caveat>"
)


def command_text(command: str, args: str) -> str:
    indent = "\n            "
    text = f"<command-name>/{command}</command-name>{indent}<command-message>{command}</command-message>"
    return f"{text}{indent}<command-args>{args}</command-args>"


@dataclass(frozen=True, slots=True)
class Moment:
    """What the next request would have held, and what the session had cost until then."""

    messages: int
    """Tokens."""
    head: int
    spent: Spending
    ask: Callable[[str, float], Usage]
    """Asks about the whole conversation, as the client does for itself: the answer, and when."""

    @property
    def prompt(self) -> int:
        return self.head + self.messages


@dataclass(frozen=True, slots=True)
class Point:
    position: int
    tip: str | None
    count: Callable[[Moment], None]


class Session(Rows):
    source = "repl_main_thread"
    agent_type = ""

    def __init__(
        self, label: str, path: str, setting: Setting, clock: Clock, files: Workspace, head: Head = SESSION
    ) -> None:
        super().__init__(label, path, setting, clock)
        self.files = files
        self.head = head
        self.log: RequestLog | None = RequestLog()
        self.asked: dict[str, Asked] = {}
        """By the id of the answer."""
        self.points: list[Point] = []
        self.cache_is_lost = False
        """The server forgets what it has cached, and nobody knows why."""
        self.history = FileHistory()
        self.model = "claude-opus-5-5"
        self.mode = "default"
        self.gateway = False
        self.prompts = 0
        self.prompt_uuid = ""
        self.last_prompt = ""
        self.prompted = self.clock.now
        self.messages = 0
        self.dropped = 0
        self.tool_ms = 0
        self.used: list[str] = []
        self.discovered: list[str] = []
        self.odd: dict[str, int] = {}

    def prompt(self, text: str, *, name: str | None = None, image: str | None = None, wait: float = 40.0) -> str:
        """Somebody types, `wait` seconds after the last thing that happened."""
        self.clock.wait(wait)
        self.prompts += 1
        self.ledger.prompts += 1
        name = name or f"prompt {self.prompts}"
        self.prompt_id = uid(f"{self.label}/prompt {self.prompts}")
        self.prompt_uuid = uid(f"{self.label}/{name}")
        self.prompted = self.clock.now
        self.last_prompt = text
        if not self.written or self.prompts == 1:
            self.settle(first=True)
        self.state(self.history.snapshot(self.prompt_uuid, self.clock.stamp()))
        foot: Record = {"permissionMode": self.mode, "origin": {"kind": "human"}, "promptSource": "typed"}
        foot |= {"turnOrigin": "human", "turnPosition": {"promptIndex": self.prompts, "turnIndex": self.prompts}}
        content: str | list[Record] = text
        if image:
            source = {"type": "base64", "media_type": "image/png", "data": image}
            content = [{"type": "text", "text": text}, {"type": "image", "source": source}]
            foot["imagePasteIds"] = [1]
        uuid = self.user(content, foot, name)
        self.clock.wait(0.2)
        return uuid

    def command(self, command: str, args: str, out: str, *, name: str | None = None, wait: float = 20.0) -> None:
        """A slash command that the client answers by itself."""
        self.clock.wait(wait)
        self.prompt_id = uid(f"{self.label}/command {len(self.written)}")
        self.user(CAVEAT, {"isMeta": True})
        self.user(command_text(command, args), name=name)
        self.user(f"<local-command-stdout>{out}</local-command-stdout>")

    def step(
        self,
        *blocks: Block,
        name: str | None = None,
        order: Sequence[int] | None = None,
        stream: bool = False,
        growing: bool = False,
        skill: str | None = None,
        miss: str | None = None,
        meanwhile: Callable[[], None] | None = None,
    ) -> None:
        """One API request: its blocks as rows, then the results of its calls.

        `order`: the order in which parallel calls finish. `stream`: each result stands before the next block.
        `growing`: the usage grows from row to row. `miss`: what the API itself says about a cache miss.
        `meanwhile`: writes other rows before the results. The rows are called `name.0`, `name.1`, ... and the last of
        them `name` too; a call that has a name is called that.
        """
        self.messages += 1
        name = name or f"message {self.messages}"
        thought = sum(pace_of(block) for block in blocks if isinstance(block, Think))
        request = self._request(name, blocks)
        message = self._message(name, request, blocks, miss)
        foot = self._origin(name, skill)
        calls: list[tuple[Call, str, str]] = []
        for index, block in enumerate(blocks):
            message["usage"] = request.streamed(index) if growing and index < len(blocks) - 1 else request.usage
            row = name if len(blocks) == 1 else f"{name}.{index}"
            uuid = self.block(block, index, message, thought, foot, name, row)
            if isinstance(block, Call):
                calls.append((block, self.call_id(name, index), uuid))
                if stream:
                    self._run(*calls.pop())
            self.places[name] = self.places.get(row) or self.places[getattr(block, "name", row)]
        if meanwhile:
            meanwhile()
        for place in order if order is not None else range(len(calls)):
            self._run(*calls[place])

    def tokens_left(self) -> str:
        """Of what the person allows a session to use."""
        left = self.blanks.open(ALLOWED)
        self.here(lambda moment: self.blanks.fill(left, ALLOWED - moment.spent.tokens))
        return left

    def last(self) -> tuple[Asked, Usage]:
        """The last request, and what it used."""
        request = list(self.asked.values())[-1]
        assert request.used is not None
        return request, request.used

    def here(self, count: Callable[[Moment], None]) -> None:
        """Once all is counted, `count` gets what the conversation weighed at this point."""
        self.points.append(Point(self.ledger.records, self.tip, count))

    def answer(self, text: str, *blocks: Block, name: str | None = None, settle: bool = True) -> None:
        """The last words of a turn."""
        self.step(*blocks, Say(text), name=name)
        self.end_turn(settle)

    def end_turn(self, settle: bool = True) -> None:
        self.clock.wait(0.02)
        took = round((self.clock.now - self.prompted).total_seconds() * 1000)
        chained = sum("parentUuid" in record for record in self.written)
        self.system("turn_duration", {"durationMs": took, "messageCount": chained})
        if settle and self.prompts % 3 == 1:
            self.settle()

    def settle(self, first: bool = False) -> None:
        """State that the client writes again and again."""
        if not first:
            self.leaf()
        self.state({"type": "mode", "mode": "normal", "sessionId": self.session})
        self.state({"type": "permission-mode", "permissionMode": self.mode, "sessionId": self.session})
        self.state({"type": "atis-latch", "atis": "", "sessionId": self.session})

    def leaf(self) -> None:
        flat = self.last_prompt.replace("\n", " ")
        shown = flat if len(flat) <= 200 else flat[:200] + "…"
        record = {"type": "last-prompt", "lastPrompt": shown, "leafUuid": self.tip, "sessionId": self.session}
        self.state(record)

    def call_of(self, name: str) -> str:
        """The tool_use id of a named call."""
        uuid = self.uuid(name)
        row = next(record for record in self.written if record.get("uuid") == uuid)
        return str(row["message"]["content"][0]["id"])

    def _request(self, name: str, blocks: Sequence[Block]) -> Asked:
        self.clock.wait(0.3)
        if self.log and self.log.pending is None:
            self.log.pending = self.log.note(self)
        request = Asked(self.clock.now, self.model, self.effort, self.head, self.blanks, self.setting.old)
        request.logged = self.log.latest if self.log else None
        request.cache_is_lost, self.cache_is_lost = self.cache_is_lost, False
        self.asked[message_id(f"{self.label}/{name}")] = request
        self.clock.wait(0.8 + sum(pace_of(block) for block in blocks) / 85)
        return request

    def _message(self, name: str, prompt: Asked, blocks: Sequence[Block], miss: str | None) -> Record:
        stop = "tool_use" if any(isinstance(block, Call) for block in blocks) else "end_turn"
        message: Record = {"id": message_id(f"{self.label}/{name}"), "type": "message", "role": "assistant"}
        message |= {"model": prompt.model, "stop_reason": stop, "stop_sequence": None}
        if miss:
            prompt.missed = self.blanks.open()
            reason = {"type": miss, "cache_missed_input_tokens": prompt.missed}
            message["diagnostics"] = {"cache_miss_reason": reason}
        return message

    def _origin(self, name: str, skill: str | None) -> Record:
        """The keys that say which request a row came from; a gateway gives none."""
        foot: Record = {} if self.gateway else {"requestId": request_id(f"{self.label}/{name}")}
        if self.setting.old:
            return foot
        if self.log and self.log.pending:
            foot["requestRef"] = self.log.pending
            self.log.pending = None
        if not self.gateway:
            foot |= {"requestedModel": self.model, "promptCacheRequested": "5m"}
        if self.setting.agent:
            foot["attributionAgent"] = self.agent_type
        return foot | ({"attributionSkill": skill} if skill else {})

    def _run(self, call: Call, ident: str, source: str) -> None:
        outcome = call.run(self.files)
        self.clock.wait(outcome.seconds)
        self.tool_ms += round(outcome.seconds * 1000)
        if call.tool not in self.used:
            self.used.append(call.tool)
        if call.tracked and not self.setting.old and call.tracked not in self.history.versions:
            self.state(self.history.backup(call.tracked, source, self.prompt_uuid, self.clock.stamp()))
        self.result(outcome, ident, source, name=f"{call.name} result" if call.name else None)
