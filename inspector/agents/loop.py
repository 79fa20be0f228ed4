"""The agent loop: ask the model and run the tools that it calls, until it calls none or reaches a limit.

Deterministic, given the model and the files: no clock, no randomness.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from inspector.agents.cache_marks import find_mark, set_mark
from inspector.agents.errors import CancelledError, ModelError
from inspector.agents.model import Ask, Json, LanguageModel, Reply
from inspector.agents.snip import Snip, Snipped
from inspector.agents.tools.tool import Denial, Outcome, Toolbox
from sessions.usage.engine.usage import Usage


class AgentEnd(StrEnum):
    FINISHED = "finished"
    TURN_LIMIT = "turn limit"
    TOKEN_LIMIT = "token limit"  # noqa: S105 - tokens of text
    OUTPUT_LIMIT = "output limit"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class AgentLimits:
    turns: int = 20
    tokens: int | None = None
    """For prompts and answers of all requests together. Once they are used, no further request is made."""


@dataclass(frozen=True, slots=True)
class ToolStarted:
    name: str
    input: Any


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer, and the calls that were run for it."""

    number: int
    text: str
    tools: Mapping[str, int] = field(default_factory=dict)
    """Calls of each."""
    touched: tuple[str, ...] = ()
    denials: tuple[Denial, ...] = ()
    usage: Usage = field(default_factory=Usage)


AgentProgress = ToolStarted | Turn


@dataclass(frozen=True, slots=True)
class AgentOutcome:
    ended: AgentEnd
    turns: tuple[Turn, ...] = ()
    messages: tuple[Json, ...] = ()
    """The whole conversation; cache marks may differ."""
    error: ModelError | None = None
    snipped: tuple[Snipped, ...] = ()
    """What the agent itself took out of what it was sent."""

    @property
    def text(self) -> str:
        """The last text of the agent."""
        return next((turn.text for turn in reversed(self.turns) if turn.text.strip()), "")

    @property
    def usage(self) -> Usage:
        spent = Usage.sum(turn.usage for turn in self.turns)
        return spent + self.error.usage if self.error is not None and self.error.usage is not None else spent

    @property
    def touched(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(path for turn in self.turns for path in turn.touched))

    @property
    def denials(self) -> tuple[Denial, ...]:
        return tuple(denial for turn in self.turns for denial in turn.denials)

    @property
    def tools(self) -> dict[str, int]:
        return dict(sum((Counter(turn.tools) for turn in self.turns), Counter()))


def run_agent(
    model: LanguageModel,
    ask: Ask,
    toolbox: Toolbox,
    *,
    limits: AgentLimits | None = None,
    listener: Callable[[AgentProgress], None] | None = None,
    snip: Snip | None = None,
) -> AgentOutcome:
    """Never raises a ModelError: an agent that was cancelled or failed has an outcome too.

    An ask without tools gets those of the toolbox. One with tools, such as a fork, keeps them. `snip` is the tool of
    that name, if it is in the toolbox: what it takes out stays in the outcome.
    """
    limits = limits or AgentLimits()
    ask = ask if ask.tools else replace(ask, tools=toolbox.definitions)
    mark, messages = find_mark(ask.messages), list(ask.messages)
    turns: list[Turn] = []
    tell = listener or (lambda _: None)

    def outcome(ended: AgentEnd, error: ModelError | None = None) -> AgentOutcome:
        return AgentOutcome(ended, tuple(turns), tuple(messages), error, tuple(snip.snipped) if snip else ())

    while True:
        if len(turns) >= limits.turns:
            return outcome(AgentEnd.TURN_LIMIT)
        if limits.tokens is not None and Usage.sum(turn.usage for turn in turns).total >= limits.tokens:
            return outcome(AgentEnd.TOKEN_LIMIT)
        # A fork has set its cache mark already, so its first request is sent unchanged.
        view = messages if snip is None else snip.view(messages)
        sent = tuple(view) if mark is not None and not turns else set_mark(view, mark=mark)
        try:
            reply = model.ask(replace(ask, messages=sent))
        except ModelError as error:
            return outcome(AgentEnd.CANCELLED if isinstance(error, CancelledError) else AgentEnd.FAILED, error)
        if reply.content:
            messages.append({"role": "assistant", "content": list(reply.content)})
        turn, results, stopped = _run_calls(reply, len(turns) + 1, ask, toolbox, tell)
        turns.append(turn)
        tell(turn)
        if stopped is not None:
            return outcome(AgentEnd.CANCELLED, stopped)
        if results:
            reminder = snip.nudge(reply.usage.context) if snip is not None else None
            results = [*results, reminder] if reminder is not None else results
            messages.append({"role": "user", "content": results})
        elif reply.stop_reason != "pause_turn":
            return outcome(AgentEnd.OUTPUT_LIMIT if reply.stop_reason == "max_tokens" else AgentEnd.FINISHED)


def _run_calls(
    reply: Reply, number: int, ask: Ask, toolbox: Toolbox, tell: Callable[[AgentProgress], None]
) -> tuple[Turn, list[Json], CancelledError | None]:
    """Runs the calls in order. Calls that ran before a cancellation are in the turn too."""
    calls: list[tuple[Json, Outcome]] = []
    stopped = None
    for call in reply.calls:
        try:
            ask.cancel.check()
            tell(ToolStarted(call["name"], call.get("input")))
            calls.append((call, toolbox.call(call["name"], call.get("input"), ask.cancel)))
        except CancelledError as error:
            stopped = error
            break
    turn = Turn(
        number,
        reply.text,
        Counter(call["name"] for call, _ in calls),
        tuple(dict.fromkeys(path for _, outcome in calls for path in outcome.touched)),
        tuple(outcome.denial for _, outcome in calls if outcome.denial is not None),
        reply.usage,
    )
    return turn, [outcome.result(call["id"]) for call, outcome in calls], stopped
