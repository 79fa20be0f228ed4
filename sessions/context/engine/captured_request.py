"""The context of a captured request: what was sent is known, and the records of its blocks are looked up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sessions.capture.engine import SentRequest
from sessions.context.engine.certainty import RequestSetup
from sessions.context.engine.rendering.array import Element
from sessions.context.engine.request_log import element_of, origins_of

_TRANSPORT_PARAMS = ("stream",)
"""Parameters that only say how the answer is sent; the client's log leaves them out."""


class Captures(Protocol):
    """Gives the captured request of an answer, if there is one."""

    def __call__(self, message_id: str, /) -> SentRequest | None: ...


def no_captures(_message_id: str, /) -> SentRequest | None:
    return None


def captured_elements(sent: SentRequest, reconstructed: Sequence[Element]) -> tuple[Element, ...]:
    """`reconstructed`: the elements rebuilt from the transcript, in which the records of the blocks are found."""
    origins = origins_of(reconstructed)
    return tuple(element_of(message, origins) for message in sent.messages)


def captured_setup(sent: SentRequest) -> RequestSetup:
    params = {name: value for name, value in sent.params.items() if name not in _TRANSPORT_PARAMS}
    return RequestSetup(sent.system_blocks, sent.tools or (), params, sent.marks)
