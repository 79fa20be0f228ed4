"""A request to the API as it went over the wire, and its answer: read, taken apart for storing, put together again."""

from __future__ import annotations

from sessions.engine.capture.answer import Answer, answer_of
from sessions.engine.capture.encoding import Unreadable, decoded
from sessions.engine.capture.exchange import Ending, Exchange, UnreadableExchangeError
from sessions.engine.capture.parts import Parts, parts_of
from sessions.engine.capture.sent import Sent
from sessions.engine.capture.who import Who, who_sent

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
