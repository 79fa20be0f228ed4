"""The context of a request that was captured: what was sent is known, and where its blocks come from is looked up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sessions.capture.engine import Sent
from sessions.context.engine.certainty import RequestSetup
from sessions.context.engine.rendering.array import Element
from sessions.context.engine.request_log import element_of, origins_of

_TRANSPORT_PARAMS = ("stream",)
"""What only says how the answer shall come; the client's own log leaves it out."""


class Captures(Protocol):
    """Gives the captured request that an answer came to, if there is one."""

    def __call__(self, message_id: str, /) -> Sent | None: ...


def no_captures(_message_id: str, /) -> Sent | None:
    return None


def captured_elements(sent: Sent, reconstructed: Sequence[Element]) -> tuple[Element, ...]:
    """`made`: what we make of the transcript, where the records of the blocks are found."""
    origins = origins_of(reconstructed)
    return tuple(element_of(message, origins) for message in sent.messages)


def captured_setup(sent: Sent) -> RequestSetup:
    params = {name: value for name, value in sent.params.items() if name not in _TRANSPORT_PARAMS}
    return RequestSetup(sent.system_blocks, sent.tools or (), params, sent.marks)
