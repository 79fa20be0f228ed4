"""The API calls in a stretch of transcript: one per message id, with the largest usage of its rows."""

from __future__ import annotations

from sessions.imports.engine.scan.batch import RequestRow
from sessions.imports.engine.scan.facts import Facts
from sessions.imports.engine.scan.record_summary import Answer
from sessions.usage.engine.prices import cost_of
from sessions.usage.engine.usage import Usage

SYNTHETIC = "<synthetic>"


class Requests:
    def __init__(self) -> None:
        self._calls: dict[str, tuple[tuple[int, int, int, str, str, str, str, int | None], Usage]] = {}
        self._last_id: str | None = None
        self._last_usage: Usage | None = None
        self._known: set[str] = set()
        self._open: tuple[int, str] | None = None
        """The latest message of the main thread: its position and id."""

    def add(self, answer: Answer, key: int, row_place: tuple[int, int, int | None], agent: str, facts: Facts) -> None:
        """`row_place`: position, turn and time of the row. Sub-agents inside a main file do not change the ruler."""
        message_id, model, usage = answer.message_id, answer.model, answer.usage
        if message_id == self._last_id and usage == self._last_usage:
            return  # most rows of a message repeat the usage of the first
        self._last_id, self._last_usage = message_id, usage
        if usage is None or model is None or model == SYNTHETIC:
            return
        earlier = self._calls.get(message_id)
        if earlier is not None:
            self._calls[message_id] = (earlier[0], earlier[1].merge(usage))
            return
        position, turn, timestamp = row_place
        request = (answer.request_id or "")[:200]
        self._calls[message_id] = (
            (key, position, turn, message_id[:200], request, agent[:200], model[:120], timestamp),
            usage,
        )
        if message_id not in self._known and message_id != facts.last_message:
            self._known.add(message_id)
            facts.note_model(model)
            self._note_context(facts)
            if not agent or facts.agent_id:
                self._open = (position, message_id)

    def _note_context(self, facts: Facts) -> None:
        """The context after a message is what was sent plus what was answered, which is known when the next message
        begins."""
        if self._open is not None:
            position, message_id = self._open
            usage = self._calls[message_id][1]
            facts.note_context(position, usage.context + usage.output, message_id)
            self._open = None

    def take(self, facts: Facts) -> list[RequestRow]:
        self._note_context(facts)
        rows: list[RequestRow] = [
            (
                *head,
                usage.input,
                usage.cache_read,
                usage.cache_write_5m,
                usage.cache_write_1h,
                usage.output,
                cost_of(head[6], usage),
            )
            for head, usage in self._calls.values()
        ]
        self._calls = {}
        self._last_id = self._last_usage = None
        return rows
