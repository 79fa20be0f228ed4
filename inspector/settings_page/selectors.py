"""Every setting as a page may show it: its value, where that comes from, and its documentation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.conf import settings

from inspector.docs.selectors import docs_address
from inspector.settings import env
from inspector.startup.environment import DeclaredSetting
from sessions.secrets.engine import mask
from sessions.text.engine.invisible_characters import spell_invisible
from sessions.text.engine.prose import Html, Pointer, render

_ROW = re.compile(r"^\| `([A-Z_]+)` \| ([^|]+) \| [^|]*\| ([^|]+) \|$", re.MULTILINE)
# A password may contain anything, so everything up to the last @ is removed; for a gateway even a lone name may be a
# token.
_PASSWORD = re.compile(r"^(\w+://[^:@/]*):.*@", re.DOTALL)
_TOKEN = re.compile(r"^(https?://)[^/]*@")
_QUERY = re.compile(r"\?.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Setting:
    name: str
    type: str
    value: str
    """Empty where nothing is set."""
    default: str
    given_by: str
    is_hidden: bool
    """Set, and not to be shown."""
    meaning: Html


def list_settings() -> list[Setting]:
    documented = _read_documentation(settings.DOCS_DIR / "configuration.md")
    return [
        Setting(
            name=declared.name,
            type=documented.get(declared.name, (declared.type, ""))[0],
            value=_value(declared),
            default=declared.default,
            given_by=declared.given_by,
            is_hidden=declared.secret and bool(declared.given_by),
            meaning=render(documented.get(declared.name, ("", ""))[1], _DocumentLinks()),
        )
        for declared in env.declared
    ]


class _DocumentLinks:
    """Turns links of the documentation into links to its pages."""

    def resolve_link(self, written: str) -> Pointer | None:
        address = docs_address(written.replace(".md", "", 1))
        return Pointer("", address) if address else None

    def parts(self, text: str) -> tuple[str]:
        return (text,)


def _value(declared: DeclaredSetting) -> str:
    value = declared.value
    if declared.type == "path":
        value = str(Path(value).expanduser().absolute())
    return spell_invisible(mask(without_password(value)))


def without_password(address: str) -> str:
    """An address without its password. Anything else stays as it is."""
    if "://" not in address:
        return address
    address = _PASSWORD.sub(r"\1:…@", address)
    return _QUERY.sub("?…", _TOKEN.sub(r"\1…@", address))


@lru_cache(maxsize=1)
def _read_documentation(page: Path) -> dict[str, tuple[str, str]]:
    """Name -> type and meaning from the table; empty if Lucid runs without its documents."""
    if not page.is_file():
        return {}
    return {name: (kind, meaning) for name, kind, meaning in _ROW.findall(page.read_text(encoding="utf-8"))}
