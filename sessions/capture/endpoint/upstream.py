"""The address of the API to which requests are forwarded."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, urlsplit

_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[A-Za-z0-9._-]+|[0-9A-Fa-f:.]+")


class BadUpstreamError(ValueError):
    """The address cannot belong to an API."""


@dataclass(frozen=True, slots=True)
class Upstream:
    scheme: str
    host: str
    port: int
    path: str
    """Prefix of the request path, without a trailing slash."""

    @classmethod
    def of(cls, address: str) -> Upstream:
        try:
            parts = urlsplit(address.strip())
            port = parts.port or _PORTS.get(parts.scheme, 0)
        except ValueError as error:
            raise BadUpstreamError(str(error)) from error
        is_http = parts.scheme in _PORTS and _HOST.fullmatch(parts.hostname or "")
        if not is_http or parts.query or parts.fragment or _has_password(parts):
            raise BadUpstreamError("It must be an address such as https://api.anthropic.com.")
        return cls(parts.scheme, parts.hostname or "", port, quote(parts.path.rstrip("/"), safe="/%:@!$&'()*+,;=~"))

    @property
    def netloc(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.netloc}{self.path}"

    def is_at(self, host: str, port: int) -> bool:
        """Whether this is the address of a server that listens there, which would call itself."""
        return port == self.port and (self.host == host or (_is_loopback(self.host) and _is_loopback(host)))


def _has_password(parts: SplitResult) -> bool:
    return parts.username is not None or parts.password is not None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
