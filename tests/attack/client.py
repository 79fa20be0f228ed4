"""A browser without a screen, over real connections: it keeps its cookies, and sends what it is told to."""

from __future__ import annotations

import http.client
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from http.cookies import SimpleCookie
from urllib.parse import quote, urlencode

PATIENCE = 120.0
_WRITTEN = "/?&=%:#+,;@!$'()*~[]\\"
_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


@dataclass(frozen=True)
class Answer:
    status_code: int
    headers: http.client.HTTPMessage
    content: bytes
    streaming: bool = False

    def __getitem__(self, name: str) -> str:
        return str(self.headers[name] or "")


class Browser:
    def __init__(self, port: int, cookie: str = "") -> None:
        self.port = port
        self.cookies = dict([cookie.split("=", 1)] if cookie else [])
        self._connection: http.client.HTTPConnection | None = None

    def get(self, address: str, *, headers: Mapping[str, str] | None = None) -> Answer:
        return self.ask("GET", address, headers=headers or {})

    def post(self, address: str, form: Mapping[str, str], page: str | None = None) -> Answer:
        """As the form of a page of ours sends it, with the token that the page holds."""
        match = _TOKEN.search(self.get(page or address).content.decode("utf-8", "replace"))
        body = urlencode({"csrfmiddlewaretoken": match[1] if match else "", **form})
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Origin": f"http://127.0.0.1:{self.port}"}
        return self.ask("POST", address, body, headers)

    def ask(self, method: str, address: str, body: str = "", headers: Mapping[str, str] | None = None) -> Answer:
        # As a browser writes an address that a page holds in letters.
        address = quote(address, safe=_WRITTEN)
        sent = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()), **(headers or {})}
        for again in (False, True):
            connection = self._connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
            self._connection = connection
            try:
                connection.request(method, address, body.encode() if body else None, sent)
                response = connection.getresponse()
                answer = Answer(response.status, response.headers, response.read())
                break
            except (http.client.RemoteDisconnected, ConnectionError):
                # The server closes a connection after each refusal.
                self.close()
                if again:
                    raise
        for line in answer.headers.get_all("Set-Cookie", []):
            self.cookies.update({name: item.value for name, item in SimpleCookie(line).items()})
        if (answer.headers["Connection"] or "").lower() == "close":
            self.close()
        return answer

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def raw(port: int, data: bytes, patience: float = PATIENCE) -> bytes:
    """What comes back for exactly these bytes, until the connection is closed or nothing comes for so many seconds."""
    received = b""
    with socket.create_connection(("127.0.0.1", port), timeout=patience) as connection:
        connection.sendall(data)
        try:
            while piece := connection.recv(65536):
                received += piece
        except (ConnectionResetError, TimeoutError):
            pass  # what came before it counts
    return received
