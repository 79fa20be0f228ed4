"""Finds the files that come with Lucid's code. In a checkout they are at its top; in a wheel they are inside this
package, where setup.py puts them. Tables of the engines are beside their modules in both cases."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_INSTALLED = _PACKAGE / "_data"
_FOLDER = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent

TEMPLATES = _FOLDER / "templates"
STATIC = _FOLDER / "static"
DOCS = _FOLDER / "docs"
DEMO = _PACKAGE.parent / "sessions" / "demo"
