"""Every id of the demo comes from a name, so that building it twice gives the same bytes."""

from __future__ import annotations

import base64
import hashlib
import uuid

_SPACE = uuid.UUID("6f1d3c0a-7a53-4d0e-9b1e-71de0a7c4e11")


def uid(name: str) -> str:
    """The uuid of a record, a session, a prompt or a request."""
    return str(uuid.uuid5(_SPACE, name))


def hexed(name: str, digits: int) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:digits]


def tool_id(name: str) -> str:
    return f"toolu_01{hexed('tool ' + name, 22)}"


def message_id(name: str) -> str:
    return f"msg_01{hexed('message ' + name, 22)}"


def request_id(name: str) -> str:
    return f"req_01{hexed('request ' + name, 22)}"


def agent_id(name: str) -> str:
    return f"a{hexed('agent ' + name, 16)}"


def task_id(name: str) -> str:
    """The id of a background command or of a spilled output: b and eight of base 36."""
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    number = int(hexed("task " + name, 16), 16)
    return "b" + "".join(digits[number // 36**place % 36] for place in range(8))


def signature(name: str, length: int) -> str:
    """The signature of a thought, which holds all of it, encrypted. `length`: about so many characters."""
    size = max(96, length * 3 // 4)
    parts = (hashlib.sha512(f"{name}/{part}".encode()).digest() for part in range(size // 64 + 1))
    return base64.b64encode(b"".join(parts)[:size]).decode()
