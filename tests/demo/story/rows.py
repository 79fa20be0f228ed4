"""The rows of a conversation: what somebody said, what the model said, what a tool gave back, what was attached."""

from __future__ import annotations

from tests.demo.story.blocks import Block, Call, Outcome, Record, Say, Think
from tests.demo.story.clock import Clock
from tests.demo.story.ids import signature, tool_id, uid
from tests.demo.story.meter import pace
from tests.demo.story.tools import ACCEPTED, as_json
from tests.demo.story.transcript import Setting, Transcript

_FIRST = ("isVisibleInTranscriptOnly", "isCompactSummary", "isMeta", "turnCompanion")
"""Keys of a user row that stand before its uuid."""


def pace_of(block: Block) -> int:
    if isinstance(block, Think):
        return block.tokens or pace(block.text)
    return pace(block.text if isinstance(block, Say) else block.tool + as_json(block.input))


class Rows(Transcript):
    effort = "high"

    def __init__(self, label: str, path: str, setting: Setting, clock: Clock) -> None:
        super().__init__(label, path, setting, clock)
        self.prompt_id = uid(f"{label}/prompt 0")

    def agent(self) -> Record:
        return {"agentId": self.setting.agent} if self.setting.agent and not self.setting.old else {}

    def owner(self) -> Record:
        return {} if self.setting.old else {"promptId": self.prompt_id, **self.agent()}

    def now(self) -> Record:
        return {"uuid": "", "timestamp": self.clock.stamp()}

    def user(
        self,
        content: str | list[Record],
        foot: Record | None = None,
        name: str | None = None,
        root: Record | None = None,
        stamp: str | None = None,
    ) -> str:
        """A user row; the keys of `foot` come after the time, but for those that come before."""
        foot = foot or {}
        first: Record = {key: foot[key] for key in _FIRST if key in foot}
        rest: Record = {key: value for key, value in foot.items() if key not in first}
        body = {**self.owner(), "type": "user", "message": {"role": "user", "content": content}, **first}
        return self.chain({**body, "uuid": "", "timestamp": stamp or self.clock.stamp(), **rest}, name, root=root)

    def attach(self, attachment: tuple[Record, Record], name: str | None = None) -> str:
        what, more = attachment
        return self.chain({**self.agent(), "attachment": what, "type": "attachment", **self.now(), **more}, name)

    def system(self, subtype: str, body: Record, name: str | None = None) -> str:
        when = {"timestamp": self.clock.stamp(), "uuid": "", "isMeta": False}
        return self.chain({**self.agent(), "type": "system", "subtype": subtype, **body, **when}, name)

    def call_id(self, message: str, index: int) -> str:
        return tool_id(f"{self.label}/{message}.{index}")

    def block(self, block: Block, index: int, message: Record, thought: int, foot: Record, name: str, row: str) -> str:
        """One block of a message: the client writes a row for each. `thought`: how long the message thought."""
        content, timing = self._content(block, index, thought, name)
        body: Record = {**self.agent(), "message": message | {"content": [content]}}
        if self.setting.old:
            body |= {**foot, "type": "assistant", **self.now()}
        else:
            body["message"]["stop_details"] = None
            body |= {**timing, "apiBlockIndex": index, **foot, "type": "assistant", **self.now()}
            body |= {"effort": self.effort, "perTurnEffort": self.effort, "madeBy": "model"}
        self.setting.twice = not self.setting.old
        uuid = self.chain(body, block.name if isinstance(block, Call) and block.name else row)
        self.clock.wait(0.05)
        return uuid

    def _content(self, block: Block, index: int, thought: int, name: str) -> tuple[Record, Record]:
        if isinstance(block, Think):
            signed = signature(f"{self.label}/{name}.{index}", block.signed)
            timing = {"thinkingDurationMs": 40 + thought * 9}
            shown = {"thinkingDisplay": "updates" if block.text else "omitted"}
            return {"type": "thinking", "thinking": block.text, "signature": signed}, timing | shown
        if isinstance(block, Say):
            return {"type": "text", "text": block.text}, {}
        self.ledger.tool_calls += 1
        content = {"type": "tool_use", "id": self.call_id(name, index), "name": block.tool, "input": block.input}
        return content, {"toolInputStreamMs": 4 + len(as_json(block.input)) // 9}

    def result(self, outcome: Outcome, ident: str, source: str, name: str | None = None) -> str:
        """The row that gives a tool's result back; it hangs on the row of its call."""
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
        body = {**self.owner(), "type": "user", "message": {"role": "user", "content": [block]}, **self.now(), **foot}
        return self.chain(body, name, parent=source)
