"""Files that come with Lucid beside its code. In a checkout they lie at its top; a wheel has them inside this package,
where setup.py puts them. Whatever needs one asks here. Tables of the engines lie beside their modules in both."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_INSTALLED = _PACKAGE / "_data"
_FOLDER = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent

TEMPLATES = _FOLDER / "templates"
STATIC = _FOLDER / "static"
DOCS = _FOLDER / "docs"
DEMO = _PACKAGE.parent / "sessions" / "demo"
