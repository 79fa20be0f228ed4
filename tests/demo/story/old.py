"""How sessions looked in 2.0: fewer records, another order of keys, sub-agents in other places."""

from __future__ import annotations

from tests.demo.story.blocks import Outcome
from tests.demo.story.clock import Clock
from tests.demo.story.head import OLD, Head
from tests.demo.story.session import Session
from tests.demo.story.transcript import Setting
from tests.demo.story.workspace import Workspace

SONNET = "claude-sonnet-4-5-20250929"


class OldSession(Session):
    def __init__(self, label: str, path: str, setting: Setting, clock: Clock, head: Head = OLD) -> None:
        super().__init__(label, path, setting, clock, Workspace(), head)
        self.log = None
        self.model = SONNET

    def prompt(self, text: str, *, name: str | None = None, image: str | None = None, wait: float = 40.0) -> str:
        self.clock.wait(wait)
        self.prompts += 1
        self.ledger.prompts += 1
        self.last_prompt = text
        foot = {"thinkingMetadata": {"level": "none", "disabled": False, "triggers": []}}
        uuid = self.user(text, foot, name or f"prompt {self.prompts}", root={} if self.tip is None else None)
        self.clock.wait(0.3)
        return uuid

    def end_turn(self, settle: bool = True) -> None:
        """Turns left no record of their own then."""

    def result(self, outcome: Outcome, ident: str, source: str, name: str | None = None) -> str:
        twin = outcome.twin
        if isinstance(twin, dict) and isinstance(twin.get("file"), dict) and twin.get("type") == "text":
            first = twin["file"]["startLine"]
            lines = twin["file"]["content"].splitlines()
            arrows = "\n".join(f"{number:>6}→{line}" for number, line in enumerate(lines, first))
            outcome = Outcome(arrows, twin, outcome.error, outcome.seconds, outcome.foot)
        return super().result(outcome, ident, source, name)
