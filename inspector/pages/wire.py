"""The messages between the server and a process that makes pages, on a socket of their own."""

from __future__ import annotations

import asyncio
import struct
from typing import Any

import msgspec

from inspector.web.body import Scope

Message = dict[str, Any]
"""`ask`: the number of a request, with its `scope`, its `body` and what the server `knows`. `left`, `more`: the number
of a request whose reader has gone, or wants the next piece. `answer`: the number, with `status`, `headers`, `body` and
whether there is `more` to come. `broken`: the number of an answer that cannot be ended."""

_SIZE = struct.Struct(">I")
_SCOPE_KEYS = (
    "http_version",
    "method",
    "scheme",
    "path",
    "raw_path",
    "query_string",
    "root_path",
    "headers",
    "client",
    "server",
)
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode


def write_message(writer: asyncio.StreamWriter, message: Message) -> None:
    content = _encode(message)
    writer.write(_SIZE.pack(len(content)))
    writer.write(content)


async def read_message(reader: asyncio.StreamReader) -> Message | None:
    """None if the other side has closed the socket."""
    try:
        (size,) = _SIZE.unpack(await reader.readexactly(_SIZE.size))
        message: Message = _decode(await reader.readexactly(size))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    return message


def pack_scope(scope: Scope) -> Scope:
    """What Django needs of a request, and what the gates before it have added."""
    noted = {name: value for name, value in scope.items() if name.startswith("lucid.")}
    return {name: scope[name] for name in _SCOPE_KEYS if name in scope} | noted


def unpack_scope(packed: Scope) -> Scope:
    return {"type": "http", "asgi": {"version": "3.0"}} | packed
