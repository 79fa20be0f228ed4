"""Settings from the environment: typed, recorded for the documentation, with clear errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import environ
from django.core.exceptions import ImproperlyConfigured

from sessions.capture.endpoint.upstream import BadUpstreamError, Upstream

T = TypeVar("T")
SWITCHES = {"on": True, "true": True, "yes": True, "1": True, "off": False, "false": False, "no": False, "0": False}

SQLITE = "sqlite:///"
DATABASES = (SQLITE, "postgres://", "postgresql://")


@dataclass(frozen=True, slots=True)
class DeclaredSetting:
    """A setting and its value in this process."""

    name: str
    type: str
    default: str
    value: str
    """As written; empty for a secret."""
    given_by: str = ""
    """The source of the value; empty: default."""
    secret: bool = False


class Environment:
    """Reads each variable once. An empty variable counts as not set."""

    def __init__(self, source: environ.Env | None = None) -> None:
        self._env = source or environ.Env()
        self.declared: list[DeclaredSetting] = []

    def text(self, name: str, default: str = "") -> str:
        return self._read(name, "text", default, str)

    def secret(self, name: str) -> str:
        return self._read(name, "text", "", str.strip, secret=True)

    def path(self, name: str, default: str) -> Path:
        return self._read(name, "path", default, lambda value: Path(value).expanduser().absolute())

    def number(self, name: str, default: int) -> int:
        return self._read(name, "number", str(default), _whole_number)

    def amount(self, name: str) -> float | None:
        """None if not set."""
        return self._read(name, "amount", "", lambda value: _amount(value) if value else None)

    def switch(self, name: str, default: str) -> bool:
        return self._read(name, "on or off", default, lambda value: SWITCHES[value.lower()])

    def names(self, name: str) -> list[str]:
        return self._read(name, "list", "", lambda value: [part.strip() for part in value.split(",") if part.strip()])

    def choice(self, name: str, default: str, *choices: str) -> str:
        return self._read(name, ", ".join(choices), default, lambda value: choices[choices.index(value.upper())])

    def database(self, name: str, default: Path) -> dict[str, Any]:
        return self._read(name, "URL", "", lambda url: self._database(name, url) if url else _sqlite(default))

    def upstream(self, name: str, default: str) -> Upstream:
        return self._read(name, "URL", default, lambda address: _upstream(name, address))

    def without(self, *prefixes: str) -> dict[str, str]:
        """All variables except those with this prefix."""
        return {name: value for name, value in self._env.ENVIRON.items() if not name.startswith(prefixes)}

    def override(self, name: str, value: str, given_by: str) -> None:
        """Records a value that a command line overrides."""
        self.declared = [
            replace(setting, value=value, given_by=given_by) if setting.name == name else setting
            for setting in self.declared
        ]

    def _read(self, name: str, kind: str, default: str, convert: Callable[[str], T], *, secret: bool = False) -> T:
        text: str = self._env.str(name, "")
        value = text or default
        given_by = "the environment" if text else ""
        self.declared.append(DeclaredSetting(name, kind, default, "" if secret else value, given_by, secret))
        try:
            return convert(value)
        except (ValueError, KeyError, RuntimeError) as error:
            raise ImproperlyConfigured(f"{name} is “{value}”, but it must be: {kind}.") from error

    def _database(self, name: str, url: str) -> dict[str, Any]:
        # The URL may contain a password, so it is not quoted.
        if not url.startswith(DATABASES):
            raise ImproperlyConfigured(f"{name} must be an address of a database, such as postgres://user@host/name.")
        if not url.startswith(SQLITE) and find_spec("psycopg") is None:
            raise ImproperlyConfigured(
                f"{name} names a PostgreSQL, but its driver is not installed: install lucid-inspector[postgres]."
            )
        config: dict[str, Any] = self._env.db_url_config(url)
        return config


def _upstream(name: str, address: str) -> Upstream:
    try:
        return Upstream.of(address)
    except BadUpstreamError as error:
        # As above.
        raise ImproperlyConfigured(
            f"{name} must be the address of an API, such as https://api.anthropic.com."
        ) from error


def _whole_number(value: str) -> int:
    number = int(value)
    if number < 1:
        raise ValueError(value)
    return number


def _amount(value: str) -> float:
    amount = float(value)
    if not 0 <= amount < float("inf"):
        raise ValueError(value)
    return amount


def _sqlite(path: Path) -> dict[str, Any]:
    return {"ENGINE": "django.db.backends.sqlite3", "NAME": str(path)}
