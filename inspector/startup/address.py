"""The address of the web server: on loopback, or a Unix socket, because there are no accounts."""

from __future__ import annotations

import errno
import os
import socket
import stat
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from inspector.startup.errors import StartupError
from sessions.text.engine.error_reason import reason_of

UNIX = "unix:"


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int

    @property
    def family(self) -> socket.AddressFamily:
        return socket.AF_INET6 if ":" in self.host else socket.AF_INET

    @property
    def url(self) -> str:
        return f"http://{self}/"

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class SocketFile:
    path: Path

    @property
    def url(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return f"{UNIX}{self.path}"


def parse_address(bind: str) -> Address | SocketFile:
    """Reads `127.0.0.1:8765`, `localhost:8765`, `[::1]:8765` or `unix:/path`; port 0 lets the system choose."""
    if bind.strip().startswith(UNIX):
        return _socket_file(bind.strip())
    host, colon, port = bind.strip().rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise StartupError(f"“{bind}” is not an address to listen on; write it as HOST:PORT, such as 127.0.0.1:8765.")
    if host != "localhost" and not _is_loopback(host):
        raise StartupError(
            f"Lucid listens on this machine only (127.0.0.1, localhost or [::1]), not on {host}: "
            "it has no accounts yet, so anybody who reached it could read your sessions."
        )
    return Address("127.0.0.1" if host == "localhost" else host, int(port))


def listen(address: Address | SocketFile) -> socket.socket:
    """Returns a bound socket, so that nothing can take the port between the check and the start."""
    return _listen_on_file(address.path) if isinstance(address, SocketFile) else _listen_on_port(address)


def _listen_on_port(address: Address) -> socket.socket:
    listener = socket.socket(address.family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address.host, address.port))
        listener.listen(socket.SOMAXCONN)
    except OSError as error:
        listener.close()
        raise StartupError(_refusal(address, error)) from error
    listener.setblocking(False)
    return listener


def _socket_file(bind: str) -> SocketFile:
    path = Path(bind.removeprefix(UNIX)).expanduser().absolute()
    if path == Path("/") or bind == UNIX:
        raise StartupError(f"“{bind}” names no socket; write it as {UNIX}/path/to/lucid.sock.")
    return SocketFile(path)


def _listen_on_file(path: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        _remove_stale(path)
        listener.bind(str(path))
        listener.listen(socket.SOMAXCONN)
    except OSError as error:
        listener.close()
        reason = "another program listens there" if error.errno == errno.EADDRINUSE else reason_of(error)
        raise StartupError(f"Lucid cannot listen on {path} ({reason}); choose another path with LUCID_BIND.") from error
    finally:
        os.umask(mask)
    listener.setblocking(False)
    return listener


def _remove_stale(path: Path) -> None:
    """Removes a socket that a killed server left behind. Anything else stays, and is an error."""
    if not path.exists() or not stat.S_ISSOCK(path.lstat().st_mode):
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _refusal(address: Address, error: OSError) -> str:
    choose = f"choose another with `lucid serve --bind {Address(address.host, _another(address))}` or LUCID_BIND."
    if error.errno == errno.EADDRINUSE:
        return f"Port {address.port} on {address.host} is taken, perhaps by another Lucid; {choose}"
    return f"Lucid cannot listen on {address} ({reason_of(error)}); {choose}"


def _another(address: Address) -> int:
    """A free port near the requested one, for the advice in the error."""
    for port in range(max(address.port, 1023) + 1, min(address.port + 200, 65536)):
        with socket.socket(address.family, socket.SOCK_STREAM) as probe:
            try:
                probe.bind((address.host, port))
            except OSError:
                continue
            return port
    return 0
