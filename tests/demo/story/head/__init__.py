"""What stands before the messages of a request: system prompt and tools."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.demo.story.blocks import Record
from tests.demo.story.head import system, tools


@dataclass(frozen=True, slots=True)
class Head:
    system: tuple[str, ...]
    tools: tuple[str, ...]
    """Their names."""

    def with_tool(self, name: str) -> Head:
        return replace(self, tools=(*self.tools, name))

    def with_style(self, words: str) -> Head:
        """Another style of output is another last block of the system prompt."""
        return replace(self, system=(*self.system[:-1], f"{self.system[-1]}\n\n# Output style\n\n{words}"))

    def shape(self) -> Record:
        """As a request holds it."""
        return {"system": [{"type": "text", "text": text} for text in self.system], "tools": self.definitions()}

    def definitions(self) -> list[Record]:
        return [tools.tool(name) for name in self.tools]

    def snapshot(self, *, with_tools: bool) -> Record:
        """The attachment that keeps it in the transcript."""
        record: Record = {"type": "prompt_snapshot", "systemPrompt": list(self.system)}
        if with_tools:
            record["tools"] = self.definitions()
        return record | {"reminderFold": False, "echoWireToolInputs": False, "contextRendering": "announced"}


SESSION = Head(system.SESSION, tools.SESSION)
WORKER = Head(system.SUB_AGENT, tools.WORKER)
READER = Head(system.SUB_AGENT, tools.READER)
OLD = Head(system.OLD, tools.OLD)
OLD_AGENT = Head(system.SUB_AGENT, ("Bash", "Glob", "Grep", "Read"))
