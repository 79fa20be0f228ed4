"""Another user of this machine: a real process with another uid. It is a fork of the test, as Python itself may lie
where the neighbour cannot read it."""

from __future__ import annotations

import encodings.idna  # noqa: F401 - the neighbour cannot import it any more
import http.client
import json
import os
import pwd
import socket
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

Request = tuple[str, str, dict[str, str], str]
Answer = tuple[int, str]


@dataclass(frozen=True)
class Neighbour:
    uid: int

    def asks(self, *requests: Request, port: int = 0, path: str = "") -> list[Answer]:
        """Status and body of each answer, from the port or the socket file; 0 and the error's name if none came."""
        answers = self.does(lambda: [_ask(request, port, path) for request in requests])
        return [(status, body) for status, body in answers]

    def does(self, act: Callable[[], Any]) -> Any:
        """What the neighbour gets by it, as JSON holds it."""
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            try:
                os.setgroups([])
                os.setgid(self.uid)
                os.setuid(self.uid)
                gained = act()
                with os.fdopen(writer, "w") as out:
                    json.dump(gained, out)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as words:
            text = words.read()
        os.waitpid(child, 0)
        assert text, "the neighbour came to grief before it could tell"
        return json.loads(text)


def _ask(request: Request, port: int, path: str) -> Answer:
    method, address, headers, body = request
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        if path:
            connection.sock = socket.socket(socket.AF_UNIX)
            connection.sock.settimeout(60)
            connection.sock.connect(path)
        connection.request(method, address, body=body.encode(), headers=headers)
        response = connection.getresponse()
        return response.status, response.read().decode("utf-8", "replace")
    except (OSError, http.client.HTTPException) as error:
        return 0, type(error).__name__
    finally:
        connection.close()


def neighbour_of_this_machine() -> Neighbour | str:
    """Or why there is none."""
    if os.geteuid() != 0:
        return "only root can act as another user"
    try:
        return Neighbour(pwd.getpwnam("nobody").pw_uid)
    except KeyError:
        return "there is no user called nobody"


@pytest.fixture(scope="session")
def neighbour() -> Neighbour:
    there = neighbour_of_this_machine()
    if isinstance(there, str):
        pytest.skip(there)
    return there
