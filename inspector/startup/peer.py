"""Who is connected to a Unix socket. The system tells, so it cannot be forged."""

from __future__ import annotations

import os
import socket
import struct

_CREDENTIALS = struct.Struct("3i")


def is_from_owner(connection: socket.socket) -> bool:
    """Whether this user or root is connected. Other kinds of sockets do not tell."""
    if connection.family != socket.AF_UNIX:
        return True
    _, uid, _ = _CREDENTIALS.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
    return uid in (0, os.geteuid())
