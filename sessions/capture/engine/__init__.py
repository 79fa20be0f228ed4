"""Requests to the API and their answers: read, split for storing, and joined again."""

from __future__ import annotations

from sessions.capture.engine.answer import Answer, parse_answer
from sessions.capture.engine.encoding import Unreadable, decode_body
from sessions.capture.engine.exchange import Ending, Exchange, UnreadableExchangeError
from sessions.capture.engine.request_parts import RequestParts, split_request
from sessions.capture.engine.sender import Sender, find_sender
from sessions.capture.engine.sent_request import SentRequest

__all__ = [
    "Answer",
    "Ending",
    "Exchange",
    "RequestParts",
    "Sender",
    "SentRequest",
    "Unreadable",
    "UnreadableExchangeError",
    "decode_body",
    "find_sender",
    "parse_answer",
    "split_request",
]
