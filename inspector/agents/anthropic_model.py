"""The Anthropic API through its SDK. The request bytes and the retries are ours, the rest is the SDK's.

The SDK takes most of a second to import, so it is imported only when a model is asked.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Generator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from inspector.agents.errors import BadRequestError, CutMidStreamError, ModelError, TimedOutError, UnreachableError
from inspector.agents.failures import error_of_event, error_of_status
from inspector.agents.model import Ask, Json, Reply, WireRequest
from inspector.agents.pump import Pump
from inspector.agents.retrying import Retries, with_retries
from inspector.agents.stream_assembler import StreamAssembler, read_reply
from inspector.agents.wire import to_bytes

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

API = "https://api.anthropic.com"
DEFAULT_OUTPUT = 32_000
"""The API requires a limit. Every current model accepts this one, and it leaves room for any summary."""

# At debug level these log bodies and headers.
_TALKATIVE = ("anthropic", "httpx2", "httpcore2")


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds."""

    connect: float = 10.0
    idle: float = 120.0
    """Without any byte: the API sends pings while the model thinks."""
    total: float = 900.0
    """Per attempt."""


@dataclass(frozen=True, slots=True)
class _StreamStart:
    """The answer has begun."""

    request_id: str | None
    streamed: bool


@dataclass(frozen=True, slots=True)
class _Event:
    kind: str | None
    data: str


class AnthropicModel:
    """Answers through the API. Asking blocks; several threads may ask at once."""

    name = "Anthropic API"
    verbatim = True

    def __init__(
        self,
        api_key: str,
        *,
        base_url: str = API,
        betas: tuple[str, ...] = (),
        timeouts: Timeouts | None = None,
        retries: Retries | None = None,
        default_output: int = DEFAULT_OUTPUT,
    ) -> None:
        self._api_key = api_key
        self._base_url = base_url
        self._betas = betas
        self._timeouts = timeouts or Timeouts()
        self._retries = retries or Retries()
        self._default_output = default_output

    def __repr__(self) -> str:
        return f"AnthropicModel({self._base_url!r})"

    def ask(self, ask: Ask, /) -> Reply:
        content = self.sends(ask).body
        return with_retries(ask, self._retries, lambda attempt: self._answer(ask, content, attempt))

    def sends(self, ask: Ask, /) -> WireRequest:
        return WireRequest(to_bytes({**ask.body(self._default_output), "stream": True}), self._beta_names(ask.betas))

    def _answer(self, ask: Ask, content: bytes, attempt: int) -> Reply:
        gathering = StreamAssembler(ask.report)
        opened, whole = _StreamStart(None, streamed=True), ""
        try:
            with closing(self._stream(ask, content)) as items:
                for item in items:
                    if isinstance(item, _StreamStart):
                        opened = item
                    elif opened.streamed:
                        _feed(gathering, item, opened.request_id)
                    else:
                        whole = item.data
        except ModelError as error:
            error.usage = error.usage or gathering.usage
            error.request_id = error.request_id or opened.request_id
            raise
        if not opened.streamed:
            return read_reply(_decode_object(whole), request_id=opened.request_id, attempts=attempt)
        return gathering.reply(request_id=opened.request_id, attempts=attempt)

    def _stream(self, ask: Ask, content: bytes) -> Generator[_StreamStart | _Event, None, None]:
        pump = Pump(lambda: self._events(content, ask.betas))
        # A generator, so that leaving early ends the request.
        yield from pump.items(ask.cancel, self._timeouts.total)

    async def _events(self, content: bytes, betas: tuple[str, ...]) -> AsyncIterator[_StreamStart | _Event]:
        import anthropic
        import httpx2

        began = False
        try:
            async with self._client() as client:
                response = await client.post(
                    "/v1/messages",
                    cast_to=anthropic.AsyncStream[Any],
                    content=content,
                    options={"headers": self._headers(betas)},
                    stream=True,
                    stream_cls=anthropic.AsyncStream[Any],
                )
                began = True
                http = response.response
                streamed = "event-stream" in http.headers.get("content-type", "")
                yield _StreamStart(http.headers.get("request-id"), streamed)
                if streamed:
                    async for event in anthropic.AsyncStream.raw_events(http):
                        yield _Event(event.event, event.data)
                else:
                    yield _Event(None, (await http.aread()).decode(errors="replace"))
        except anthropic.APIStatusError as error:
            raise error_of_status(error.status_code, error.response.headers, error.body, datetime.now(UTC)) from None
        except (anthropic.APITimeoutError, httpx2.TimeoutException) as error:
            raise TimedOutError(f"The model sent nothing for {self._timeouts.idle:,g} seconds.") from error
        except (anthropic.APIConnectionError, httpx2.TransportError, UnicodeDecodeError) as error:
            raise CutMidStreamError() if began else UnreachableError() from error
        except (anthropic.AnthropicError, httpx2.InvalidURL, httpx2.HTTPError) as error:
            raise BadRequestError() from error

    def _client(self) -> AsyncAnthropic:
        import anthropic

        for name in _TALKATIVE:
            logger = logging.getLogger(name)
            logger.setLevel(max(logging.WARNING, logger.level))
        timeouts = anthropic.Timeout(self._timeouts.idle, connect=self._timeouts.connect)
        return anthropic.AsyncAnthropic(
            api_key=self._api_key, base_url=self._base_url, max_retries=0, timeout=timeouts, open_telemetry=False
        )

    def _headers(self, betas: tuple[str, ...]) -> dict[str, str]:
        named = self._beta_names(betas)
        return {"anthropic-beta": ",".join(named)} if named else {}

    def _beta_names(self, betas: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*betas, *self._betas)))


def _feed(gathering: StreamAssembler, event: _Event, request_id: str | None) -> None:
    if event.kind == "error":
        raise error_of_event(_decode(event.data), request_id)
    if event.kind not in (None, "ping") and event.data and not gathering.finished:
        gathering.take(_decode(event.data))


def _decode(data: str) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return data


def _decode_object(text: str) -> Json:
    value = _decode(text)
    if not isinstance(value, dict):
        raise CutMidStreamError("The answer is not in the form of the API.")
    return value
