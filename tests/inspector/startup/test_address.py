from __future__ import annotations

import socket

import pytest

from inspector.startup.address import Address, listen, parse_address
from inspector.startup.errors import StartupError


@pytest.mark.parametrize(
    ("bind", "address", "url"),
    [
        ("127.0.0.1:8765", Address("127.0.0.1", 8765), "http://127.0.0.1:8765/"),
        ("localhost:80", Address("127.0.0.1", 80), "http://127.0.0.1:80/"),
        ("[::1]:8765", Address("::1", 8765), "http://[::1]:8765/"),
        ("127.8.9.10:0", Address("127.8.9.10", 0), "http://127.8.9.10:0/"),
    ],
)
def test_addresses_of_this_machine_are_understood(bind: str, address: Address, url: str) -> None:
    assert parse_address(bind) == address
    assert address.url == url


@pytest.mark.parametrize("bind", ["0.0.0.0:8765", "192.168.1.5:80", "[::]:8765", "example.org:8765", "127.1:80"])
def test_other_machines_are_kept_out(bind: str) -> None:
    with pytest.raises(StartupError, match="listens on this machine only"):
        parse_address(bind)


@pytest.mark.parametrize("bind", ["", "8765", ":8765", "127.0.0.1", "127.0.0.1:", "127.0.0.1:http", "127.0.0.1:70000"])
def test_what_is_no_address_is_explained(bind: str) -> None:
    with pytest.raises(StartupError, match="HOST:PORT"):
        parse_address(bind)


def test_the_advice_for_a_taken_port_works_when_it_is_followed() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(StartupError, match=f"Port {port} on 127.0.0.1 is taken") as refusal:
            listen(Address("127.0.0.1", port))
        advised = str(refusal.value).partition("--bind ")[2].partition("`")[0]
        listen(parse_address(advised)).close()
