"""A session as it is lived: somebody types, the model answers in steps, tools give results."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.demo.story.blocks import Block, Call, Outcome, Record, Say, Think
from tests.demo.story.clock import Clock
from tests.demo.story.history import FileHistory
from tests.demo.story.ids import message_id, request_id, signature, tool_id, uid
from tests.demo.story.ledger import Totals, price
from tests.demo.story.meter import IMAGE, Meter, Usage, tokens
from tests.demo.story.requests import RequestLog
from tests.demo.story.tools import ACCEPTED, as_json
from tests.demo.story.transcript import Setting, Transcript
from tests.demo.story.workspace import Workspace


class Session(Transcript):
    source = "repl_main_thread"

    def __init__(
        self, label: str, path: str, setting: Setting, clock: Clock, files: Workspace, overhead: int = 21300
    ) -> None:
        super().__init__(label, path, setting, clock)
        self.files = files
        self.meter = Meter(overhead)
        self.log: RequestLog | None = RequestLog()
        self.model = "claude-opus-5-5"
        self.effort = "high"
        self.gateway = False
        self.mode = "default"
        self.prompt_id = uid(f"{label}/prompt 0")
        self.prompt_uuid = ""
        self.prompted = self.clock.now
        self.last_prompt = ""
        self.prompts = 0
        self.messages = 0
        self.used: list[str] = []
        self.history = FileHistory()
        self.sizes: dict[str, tuple[int, int]] = {}
        self.by_model: dict[str, Totals] = {}
        self.costs: dict[str, float] = {}
        self.memory_rule = ""
        self.odd: dict[str, int] = {}
        self.dropped = 0
        self.discovered: list[str] = []
        self.api_ms = 0
        self.tool_ms = 0

    # -- rows ---------------------------------------------------------------------------------------------------

    def agent(self) -> Record:
        return {"agentId": self.setting.agent} if self.setting.agent and not self.setting.old else {}

    def weigh(self, uuid: str, count: int) -> None:
        """Remembers where in the conversation a row stands and how much it weighs."""
        self.sizes[uuid] = (self.meter.size, count)
        self.meter.add(count)

    def user(
        self, content: str | list[Record], foot: Record | None = None, name: str | None = None, **how: Record | None
    ) -> str:
        """A user row; `foot` comes after the time, `how` may start a new chain."""
        foot = dict(foot or {})
        meta = {
            key: foot.pop(key)
            for key in ("isVisibleInTranscriptOnly", "isCompactSummary", "isMeta", "turnCompanion")
            if key in foot
        }
        body: Record = {} if self.setting.old else {"promptId": self.prompt_id, **self.agent()}
        body |= {"type": "user", "message": {"role": "user", "content": content}, **meta}
        body |= {"uuid": "", "timestamp": self.clock.stamp(), **foot}
        uuid = self.chain(body, name, root=how.get("root"))
        text = content if isinstance(content, str) else "".join(block.get("text", "") for block in content)
        pictures = 0 if isinstance(content, str) else sum(block["type"] == "image" for block in content)
        self.weigh(uuid, tokens(text) + pictures * IMAGE)
        return uuid

    def attach(self, attachment: tuple[Record, Record], name: str | None = None, weight: bool = True) -> str:
        what, more = attachment
        body = {
            **self.agent(),
            "attachment": what,
            "type": "attachment",
            "uuid": "",
            "timestamp": self.clock.stamp(),
            **more,
        }
        uuid = self.chain(body, name)
        self.weigh(uuid, sum(tokens(part["content"]) for part in more.get("rendered", [])) if weight else 0)
        return uuid

    def system(self, subtype: str, body: Record, name: str | None = None, root: Record | None = None) -> str:
        when = {"timestamp": self.clock.stamp(), "uuid": "", "isMeta": False}
        return self.chain({**self.agent(), "type": "system", "subtype": subtype, **body, **when}, name, root=root)

    # -- the person ---------------------------------------------------------------------------------------------

    def prompt(self, text: str, *, name: str | None = None, image: str | None = None, wait: float = 40.0) -> str:
        """Somebody types, `wait` seconds after the last thing that happened."""
        first = self.prompts == 0
        self.clock.wait(wait)
        self.prompts += 1
        self.prompt_id = uid(f"{self.label}/prompt {self.prompts}")
        self.prompted = self.clock.now
        self.last_prompt = text
        self.ledger.prompts += 1
        name = name or f"prompt {self.prompts}"
        if first:
            self.settle(first=True)
        self.prompt_uuid = uid(f"{self.label}/{name}")
        self.state(self.history.snapshot(self.prompt_uuid, self.clock.stamp()))
        content: str | list[Record] = text
        foot: Record = {
            "permissionMode": self.mode,
            "origin": {"kind": "human"},
            "promptSource": "typed",
            "turnOrigin": "human",
        }
        foot["turnPosition"] = {"promptIndex": self.prompts, "turnIndex": self.prompts}
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
        caveat = "The command below was run directly in the client, not sent to you as a request."
        self.user(f"<local-command-caveat>{caveat}</local-command-caveat>", {"isMeta": True})
        indent = "\n            "
        call = f"<command-name>/{command}</command-name>{indent}<command-message>{command}</command-message>"
        self.user(f"{call}{indent}<command-args>{args}</command-args>", name=name)
        self.user(f"<local-command-stdout>{out}</local-command-stdout>")

    # -- the model ----------------------------------------------------------------------------------------------

    def step(
        self,
        *blocks: Block,
        name: str | None = None,
        order: Sequence[int] | None = None,
        stream: bool = False,
        stop: str | None = None,
        growing: bool = False,
        skill: str | None = None,
        meanwhile: Callable[[], None] | None = None,
    ) -> Usage:
        """One API request: its blocks as rows, then the results of its calls.

        `order` is the order in which parallel calls finish; `stream` writes each result before the next block;
        `meanwhile` writes other rows before the results.
        """
        self.messages += 1
        name = name or f"message {self.messages}"
        usage = self._request(blocks)
        message = {
            "id": message_id(f"{self.label}/{name}"),
            "type": "message",
            "role": "assistant",
            "model": usage.model,
            "stop_reason": stop or ("tool_use" if any(isinstance(block, Call) for block in blocks) else "end_turn"),
        }
        foot = self._origin(name, skill)
        calls: list[tuple[Call, str, str]] = []
        for index, block in enumerate(blocks):
            share = usage.output if not growing or index == len(blocks) - 1 else 8 + 3 * index
            uuid = self._block(
                block, index, message, usage, share, foot, f"{name}" if len(blocks) == 1 else f"{name}.{index}"
            )
            if isinstance(block, Call):
                calls.append((block, self._call_id(name, index), uuid))
                if stream:
                    self._result(*calls.pop())
        if meanwhile:
            meanwhile()
        for place in order if order is not None else range(len(calls)):
            self._result(*calls[place])
        return usage

    def answer(
        self, text: str, *blocks: Block, name: str | None = None, settle: bool = True, skill: str | None = None
    ) -> None:
        """The last words of a turn."""
        self.step(*blocks, Say(text), name=name, stop="end_turn", skill=skill)
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
            self.state(
                {
                    "type": "last-prompt",
                    "lastPrompt": self.shown_prompt(),
                    "leafUuid": self.tip,
                    "sessionId": self.session,
                }
            )
        self.state({"type": "mode", "mode": "normal", "sessionId": self.session})
        self.state({"type": "permission-mode", "permissionMode": self.mode, "sessionId": self.session})
        self.state({"type": "atis-latch", "atis": "", "sessionId": self.session})

    def shown_prompt(self) -> str:
        flat = self.last_prompt.replace("\n", " ")
        return flat if len(flat) <= 200 else flat[:200] + "…"

    # -- inside -------------------------------------------------------------------------------------------------

    def _request(self, blocks: Sequence[Block]) -> Usage:
        output = thinking = 0
        for block in blocks:
            weight = self._weight(block)
            output += weight
            thinking += weight if isinstance(block, Think) else 0
        self.clock.wait(1.1 + output / 85)
        if self.log and self.log.pending is None:
            self.log.pending = self.log.note(self)
        usage = self.meter.request(self.model, self.clock.now, output, thinking)
        self.spend(usage)
        self.ledger.count(usage)
        self.api_ms += round(900 + output * 11)
        return usage

    def spend(self, usage: Usage) -> None:
        self.by_model.setdefault(usage.model, Totals()).count(usage)
        self.costs[usage.model] = self.costs.get(usage.model, 0.0) + (price(usage) or 0.0)

    @property
    def cost(self) -> float:
        return sum(self.costs.values())

    def cost_of(self, model: str) -> float:
        return round(self.costs[model], 6)

    def _weight(self, block: Block) -> int:
        if isinstance(block, Think):
            return block.tokens or tokens(block.text)
        return tokens(block.text if isinstance(block, Say) else block.tool + as_json(block.input))

    def _origin(self, name: str, skill: str | None) -> Record:
        """The keys that say which request a row came from."""
        if self.setting.old:
            return {"requestId": request_id(f"{self.label}/{name}")}
        foot: Record = {} if self.gateway else {"requestId": request_id(f"{self.label}/{name}")}
        if self.log and self.log.pending:
            foot["requestRef"] = self.log.pending
            self.log.pending = None
        if not self.gateway:
            foot |= {"requestedModel": self.model, "promptCacheRequested": "5m"}
        if self.setting.agent:
            foot["attributionAgent"] = self.agent_type
        return foot | ({"attributionSkill": skill} if skill else {})

    agent_type = "general-purpose"

    def _call_id(self, name: str, index: int) -> str:
        return tool_id(f"{self.label}/{name}.{index}")

    def _block(
        self, block: Block, index: int, message: Record, usage: Usage, output: int, foot: Record, name: str
    ) -> str:
        if isinstance(block, Think):
            content: Record = {
                "type": "thinking",
                "thinking": block.text,
                "signature": signature(f"{self.label}/{name}"),
            }
            timing: Record = {
                "thinkingDurationMs": 40 + usage.thinking * 9,
                "thinkingDisplay": "updates" if block.text else "omitted",
            }
        elif isinstance(block, Say):
            content, timing = {"type": "text", "text": block.text}, {}
        else:
            ident = self._call_id(name.rsplit(".", 1)[0] if "." in name else name, index)
            content = {"type": "tool_use", "id": ident, "name": block.tool, "input": block.input}
            timing = {"toolInputStreamMs": 4 + len(as_json(block.input)) // 9}
            self.ledger.tool_calls += 1
        spoken = message | {"stop_sequence": None, "usage": self.usage_row(usage, output), "content": [content]}
        body: Record = {**self.agent(), "message": spoken}
        if self.setting.old:
            body |= {**foot, "type": "assistant", "uuid": "", "timestamp": self.clock.stamp()}
        else:
            spoken["stop_details"] = None
            body |= {
                **timing,
                "apiBlockIndex": index,
                **foot,
                "type": "assistant",
                "uuid": "",
                "timestamp": self.clock.stamp(),
            }
            body |= {"effort": self.effort, "perTurnEffort": self.effort, "madeBy": "model"}
        label = block.name if isinstance(block, Call) and block.name else name
        self.setting.twice = not self.setting.old
        uuid = self.chain(body, label)
        self.sizes[uuid] = (self.meter.size - usage.output, self._weight(block))
        self.clock.wait(0.05)
        return uuid

    def usage_row(self, usage: Usage, output: int) -> Record:
        created = {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": usage.write}
        row: Record = {"input_tokens": usage.input, "cache_creation_input_tokens": usage.write}
        row["cache_read_input_tokens"] = usage.read
        if self.setting.old:
            return row | {"cache_creation": created, "output_tokens": output, "service_tier": "standard"}
        row |= {"output_tokens": output, "output_tokens_details": {"thinking_tokens": min(usage.thinking, output)}}
        row |= {"server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0}, "service_tier": "standard"}
        row |= {"cache_creation": created, "inference_geo": "not_available", "iterations": [], "speed": "standard"}
        return row

    def _result(self, call: Call, ident: str, source: str) -> None:
        outcome = call.run(self.files)
        self.clock.wait(outcome.seconds)
        self.tool_ms += round(outcome.seconds * 1000)
        if call.tool not in self.used:
            self.used.append(call.tool)
        if call.tracked and not self.setting.old and call.tracked not in self.history.versions:
            self.state(self.history.backup(call.tracked, source, self.prompt_uuid, self.clock.stamp()))
        self.result(outcome, ident, source, name=f"{call.name} result" if call.name else None)

    def result(self, outcome: Outcome, ident: str, source: str, name: str | None = None) -> str:
        """The row that gives a tool's result back."""
        block: Record = {"tool_use_id": ident, "type": "tool_result", "content": outcome.content}
        if outcome.error:
            block = {"type": "tool_result", "content": outcome.content, "is_error": True, "tool_use_id": ident}
            self.ledger.tool_errors += 1
        elif outcome.error is False:
            block["is_error"] = False
        foot: Record = {} if self.setting.agent and not self.setting.old else {"toolUseResult": outcome.twin}
        if not self.setting.old:
            foot |= {**outcome.foot, "sourceToolAssistantUUID": source}
            foot |= {} if "toolDenialKind" in outcome.foot else ACCEPTED
        body: Record = {} if self.setting.old else {"promptId": self.prompt_id, **self.agent()}
        body |= {
            "type": "user",
            "message": {"role": "user", "content": [block]},
            "uuid": "",
            "timestamp": self.clock.stamp(),
        }
        uuid = self.chain(body | foot, name, parent=source)
        self.weigh(uuid, self._result_weight(outcome.content))
        return uuid

    def _result_weight(self, content: str | list[Record]) -> int:
        if isinstance(content, str):
            return tokens(content)
        return sum(IMAGE if part["type"] == "image" else tokens(as_json(part)) for part in content)

    def call_of(self, name: str) -> str:
        """The tool_use id of a named call."""
        uuid = self.uuid(name)
        row = next(record for record in self.written if record.get("uuid") == uuid)
        return str(row["message"]["content"][0]["id"])
