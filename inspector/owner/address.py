"""The address with a token that gives a browser access, and how to open it."""

from __future__ import annotations

import html
import os
import sys
import webbrowser
from collections.abc import Mapping
from pathlib import Path

from inspector.owner.access_tokens import FOLDER, token_create
from inspector.owner.gate import ENTRY


def entry_address(home: Path, url: str) -> str:
    return f"{url.rstrip('/')}{ENTRY}?token={token_create(home)}"


def is_desktop(environment: Mapping[str, str]) -> bool:
    """Whether the user of this terminal sits at a screen of this machine."""
    screen = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    return bool(screen) and "SSH_CONNECTION" not in environment and sys.stdout.isatty()


def open_browser(home: Path, url: str) -> None:
    """Through a file in the home, because every user of the machine can read the command line of a browser."""
    address = html.escape(entry_address(home, url))
    path = home / FOLDER / "open.html"
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(
            f'<!doctype html><meta http-equiv="refresh" content="0; url={address}"><a href="{address}">Lucid</a>'
        )
    webbrowser.open(path.as_uri())
