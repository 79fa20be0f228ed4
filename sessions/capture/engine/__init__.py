"""A request to the API as it went over the wire, and its answer: read, taken apart for storing, put together again."""

from __future__ import annotations

from sessions.capture.engine.answer import Answer, answer_of
from sessions.capture.engine.encoding import Unreadable, decoded
from sessions.capture.engine.exchange import Ending, Exchange, UnreadableExchangeError
from sessions.capture.engine.parts import Parts, parts_of
from sessions.capture.engine.sent import Sent
from sessions.capture.engine.who import Who, who_sent

__all__ = [
    "Answer",
    "Ending",
    "Exchange",
    "Parts",
    "Sent",
    "Unreadable",
    "UnreadableExchangeError",
    "Who",
    "answer_of",
    "decoded",
    "parts_of",
    "who_sent",
]
