"""What each request of a written transcript used: its prompt is weighed as the product weighs it, with fixed rates, and
a model of the prompt cache tells what of it was read and written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from sessions.context.engine import Context, Element, Log
from sessions.context.engine.client_versions import Sender
from sessions.context.engine.digest import canonical, full_hash
from sessions.context.engine.log import requests_of
from sessions.linking.engine import LinkRow
from sessions.transcripts.engine.keys import key_of
from sessions.weights.engine import Content, Rates, features_of
from tests.demo.story.blocks import Record
from tests.demo.story.head import Head
from tests.demo.story.ledger import Spending
from tests.demo.story.meter import Usage
from tests.demo.story.requests import Asked
from tests.demo.story.session import Moment, Session
from tests.truth.prompt_cache import PromptCache

EFFORT = "effort"
"""Stands before the messages, because they are cached with the effort; it weighs nothing."""
MARK = {"cache_control": {"type": "ephemeral"}}
OPENING = 3
"""Tokens of every prompt that no block holds: they open the answer."""


def settle(session: Session, main: Session | None = None) -> None:
    """Fills in every blank of a session. `main`: the session that a sub-agent works for."""
    _Accounts(session, main).settle()


@lru_cache(maxsize=8)
def _rates(model: str) -> Rates:
    return Rates(model)


def tokens_of(block: Mapping[str, object], model: str, *, answer: bool = False) -> int:
    return round(_rates(model).estimate(features_of(block, answer=answer)))


def head_tokens(head: Head, model: str) -> int:
    """System prompt, tools, and what opens the answer."""
    shape = head.shape()
    return OPENING + sum(tokens_of(block, model) for block in (*shape["system"], *shape["tools"]))


class _Accounts:
    def __init__(self, session: Session, main: Session | None) -> None:
        self.session = session
        self.log = Log(session.content(), agent=main is not None, main=Log(main.content()) if main else None)
        self.model = session.model
        self.cache = PromptCache(density=1, measure=self._measure)
        self.spent = Spending()
        self.latest: Asked | None = None
        self.answers: dict[str, list[Record]] = {}
        # A compaction may write the rows that it kept once more.
        for row in {row.uuid: row for row in self.log.rows if row.type == "assistant"}.values():
            message = self.log.record(row.position)["message"]
            self.answers.setdefault(message["id"], []).extend(message["content"])

    def settle(self) -> None:
        session, builder = self.session, self.log.context_builder()
        starts = {row.position for row in requests_of(self.log.rows)}
        points = sorted(session.points, key=lambda point: point.position)
        for row in [*self.log.rows, None]:
            position = row.position if row else len(self.log.rows)
            while points and points[0].position <= position:
                point = points.pop(0)
                link = key_of(point.tip) if point.tip else None
                sender = self._sender(position)
                self._count(builder.build_at(link, position, sender=sender), point.count)
            if row is None:
                break
            if row.position in starts:
                self._request(builder.build_for_answer(row))
            builder.feed(row)
        for name in [name for name, request in session.asked.items() if request.used is None]:
            self._inline(name)

    def _sender(self, position: int) -> Sender:
        rows = (row for row in reversed(self.log.rows[:position]) if row.type == "assistant")
        senders = (Sender.of(self.log.record(row.position)) for row in rows)
        return next((sender for sender in senders if sender.asks_model), Sender())

    def _request(self, context: Context) -> None:
        page = self.session.asked.get(context.request)
        if page is None:
            return
        self.model, self.latest = page.model, page
        if page.cache_is_lost:
            self.cache.age(1e9)
        body = _body(page, context.elements)
        usage = self._usage(body, page.moment.timestamp(), self.answers[context.request])
        page.fill(usage)
        self.spent.add(usage)
        self.session.ledger.count(usage)
        if page.logged is not None:
            elements = [_message(element) for element in context.elements]
            hashes = [full_hash(canonical(message)) for message in elements]
            page.logged.fill(self.session.blanks, elements, hashes, _marks(body))

    def _count(self, context: Context, count: Callable[[Moment], None]) -> None:
        model = self.model = context.model or self.session.model
        head = self.latest.head if self.latest else self.session.head
        messages = sum(
            tokens_of(piece.block, model, answer=element.role == "assistant")
            for element in context.elements
            for piece in element.pieces
        )

        def ask(answer: str, moment: float) -> Usage:
            assert self.latest is not None
            body = _body(self.latest, context.elements)
            usage = self._usage(body, moment, [{"type": "text", "text": answer}])
            self.spent.add(usage)
            return usage

        count(Moment(messages, head_tokens(head, model), self.spent, ask))

    def _usage(self, body: Record, moment: float, answer: Sequence[Record]) -> Usage:
        counted = self.cache.usage(body, moment)
        weights = {id(block): tokens_of(block, self.model, answer=True) for block in answer}
        thoughts = (block for block in answer if features_of(block).content is Content.THINKING)
        return Usage(
            self.model,
            counted["input_tokens"],
            counted["cache_creation_input_tokens"],
            counted["cache_read_input_tokens"],
            sum(weights.values()),
            sum(weights[id(block)] for block in thoughts),
        )

    def _measure(self, level: str, block: Record, words: str, /) -> int:
        return 0 if block.get("type") == EFFORT else tokens_of(block, self.model, answer=level == "assistant")

    def _inline(self, name: str) -> None:
        """A request of a sub-agent whose rows stand in the file of its session."""
        request = self.session.asked[name]
        records = [self.log.record(row.position) for row in self._chain(name)]
        messages = [{"role": record["type"], "content": record["message"]["content"]} for record in records]
        self.model = request.model
        usage = self._usage(
            _head_of(request) | {"messages": _marked(messages)}, request.moment.timestamp(), self.answers[name]
        )
        request.fill(usage)
        self.session.ledger.count(usage)

    def _chain(self, name: str) -> list[LinkRow]:
        """The rows before an answer."""
        by_key = {row.uuid: row for row in self.log.rows if row.uuid is not None}
        first = next(row for row in self.log.rows if row.message == key_of(name))
        chain = list(_ancestors(first, by_key))
        return chain[::-1]


def _ancestors(row: LinkRow, by_key: Mapping[int, LinkRow]) -> Iterator[LinkRow]:
    while row.parent is not None and row.parent in by_key:
        row = by_key[row.parent]
        yield row


def _message(element: Element) -> Record:
    return {"role": element.role, "content": [dict(piece.block) for piece in element.pieces]}


def _head_of(prompt: Asked) -> Record:
    shape = prompt.head.shape()
    return {"model": prompt.model, "tools": shape["tools"], "system": [{**block, **MARK} for block in shape["system"]]}


def _body(prompt: Asked, elements: Sequence[Element]) -> Record:
    effort = {"role": "user", "content": [{"type": EFFORT, "effort": prompt.effort}]}
    messages = [_message(element) for element in elements]
    return _head_of(prompt) | {"messages": [effort, *_marked(messages)]}


def _marked(messages: list[Record]) -> list[Record]:
    """The last block is marked."""
    last = messages[-1]
    content = last["content"] if isinstance(last["content"], list) else [{"type": "text", "text": last["content"]}]
    return [*messages[:-1], {**last, "content": [*content[:-1], {**content[-1], **MARK}]}]


def _marks(body: Record) -> list[Record]:
    """As the client logs them; the effort is no message."""
    messages = body["messages"]
    last = ["messages", len(messages) - 2, "content", len(messages[-1]["content"]) - 1]
    paths: list[list[str | int]] = [["system", number] for number in range(len(body["system"]))]
    return [{"path": path, "value": MARK["cache_control"]} for path in [*paths, last]]
