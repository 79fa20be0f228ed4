"""What the model says, by what it was asked: the same request gets the same answer, whoever repeats it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.inspector.agents.server import Answer, Call, Say
from tests.truth.wire import Json, Kind, blocks_of

Step = Answer | tuple[Answer, ...]
"""An answer; or one for each attempt, the last of which is given from then on."""
SUMMARY = (
    "<analysis>\nThe talk was about the tides.\n</analysis>\n<summary>\n1. Primary Request and Intent:\n"
    "   The tables of the harbour were read and put in order.\n2. Pending Tasks:\n   - None.\n</summary>"
)
GONE_ON = "The work goes on where the summary ends."
GO_ON = "Go on from here, please."
"""The prompt to a session that was exported."""
ERRAND = '{"title": "Tides of the harbour", "isNewTopic": false}'
_REMINDERS = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
_TOOLS = {"Task": ("Agent", "Task"), "Agent": ("Agent", "Task")}
"""Some versions have another name for a tool."""


class Chosen(NamedTuple):
    kind: Kind
    answer: Answer


@dataclass
class Script:
    answers: Mapping[str, Sequence[Step]]
    """By the words of the prompt: its first answer, the one after the results of that, and so on."""
    agents: frozenset[str] = frozenset()
    """The prompts among them that sub-agents get."""
    work: str = ""
    """Where the client works; stands for `{work}` in calls."""
    attempts: Counter[tuple[str, int]] = field(default_factory=Counter)

    def choose(self, body: Json) -> Chosen:
        prompt, steps = self._last_prompt(body)
        last_words = _last_words(body)
        if not body.get("tools") or (last_words and not any(known in last_words for known in self.answers)):
            if _asks_summary(last_words):
                return Chosen(Kind.COMPACT, Say(SUMMARY))
            if not body.get("tools") or not prompt or not _goes_on(last_words):
                return Chosen(Kind.SIDE, Say(ERRAND))
        if not prompt:
            return Chosen(Kind.MAIN, Say(GONE_ON))
        kind = Kind.SUB if prompt in self.agents else Kind.MAIN
        return Chosen(kind, self._filled(self._step(prompt, steps), body))

    def _last_prompt(self, body: Json) -> tuple[str, int]:
        """What was asked last, and how many answers followed it."""
        steps = 0
        for message in reversed(body["messages"]):
            if message["role"] == "assistant":
                steps += 1
                continue
            words = _words(message)
            request = [(words.rfind(prompt), prompt) for prompt in self.answers if prompt in words]
            if request:
                return max(request)[1], steps
        return "", 0

    def _step(self, prompt: str, number: int) -> Answer:
        steps = self.answers[prompt]
        if number >= len(steps):
            return Say(GONE_ON)
        step = steps[number]
        if not isinstance(step, tuple):
            return step
        attempt = self.attempts[prompt, number]
        self.attempts[prompt, number] += 1
        return step[min(attempt, len(step) - 1)]

    def _filled(self, answer: Answer, body: Json) -> Answer:
        if not isinstance(answer, Say) or not answer.calls:
            return answer
        names = {tool["name"] for tool in body["tools"]}
        calls = [self._call(call, names) for call in answer.calls]
        return Say(**{**vars(answer), "calls": calls})

    def _call(self, call: Call, names: set[str]) -> Call:
        name = next((other for other in _TOOLS.get(call.name, ()) if other in names), call.name)
        return Call(name, _put(call.input, self.work), call.id)


def _words(message: Json) -> str:
    return "\n".join(block["text"] for block in blocks_of(message["content"]) if block["type"] == "text")


def _last_words(body: Json) -> str:
    """What the last block of the user says, reminders aside; empty if that is a result."""
    users = [message for message in body["messages"] if message["role"] == "user"]
    for block in reversed(blocks_of(users[-1]["content"])):
        if block["type"] == "tool_result":
            return ""
        if block["type"] == "text" and (text := _REMINDERS.sub("", block["text"]).strip()):
            return text
    return ""


def _asks_summary(text: str) -> bool:
    return "summary" in text.lower() and len(text) > 1_000


def _goes_on(text: str) -> bool:
    """Words that the client puts in by itself in the course of a conversation."""
    starts = ("Stop hook feedback", "Continue from where you left off", "[Request interrupted", "[SYSTEM", "<")
    return text.startswith(starts)


def _put(value: Any, work: str) -> Any:
    if isinstance(value, str):
        return value.replace("{work}", work)
    if isinstance(value, dict):
        return {name: _put(item, work) for name, item in value.items()}
    return [_put(item, work) for item in value] if isinstance(value, list) else value
