"""Highlights code with a few classes instead of one per token type, because every span costs bytes on the page."""

from __future__ import annotations

from functools import lru_cache
from html import escape

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Literal, Name, Number, Operator, String, _TokenType

MAX_CODE = 20_000

_LANGUAGES = """
bash c console cpp csharp css diff docker elixir go graphql haskell hcl html ini java javascript json jsx kotlin lua
make markdown nix objective-c perl php powershell protobuf python r ruby rust scala scss sql svelte swift toml tsx
typescript vue xml yaml zig
"""
_OTHER_NAMES = """
sh=bash shell=bash zsh=bash fish=bash shell-session=console terminal=console c++=cpp cc=cpp h=c hpp=cpp cs=csharp
c#=csharp patch=diff dockerfile=docker ex=elixir golang=go hs=haskell terraform=hcl tf=hcl htm=html cfg=ini conf=ini
js=javascript mjs=javascript jsonc=json json5=json jsonl=json kt=kotlin makefile=make md=markdown objc=objective-c
pl=perl ps1=powershell pwsh=powershell proto=protobuf py=python python3=python rb=ruby rs=rust ts=typescript svg=xml
yml=yaml
"""
_ALIASES = {name: name for name in _LANGUAGES.split()} | dict(pair.split("=") for pair in _OTHER_NAMES.split())
_CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "c"),
    (Keyword.Type, "t"),
    (Keyword, "k"),
    (Operator.Word, "k"),
    (String, "s"),
    (Number, "m"),
    (Literal, "s"),
    (Name.Function, "f"),
    (Name.Class, "t"),
    (Name.Tag, "k"),
    (Name.Attribute, "f"),
    (Name.Decorator, "f"),
    (Name.Builtin, "t"),
    (Name.Variable, "f"),
    (Generic.Inserted, "a"),
    (Generic.Deleted, "d"),
    (Generic.Heading, "k"),
    (Generic.Subheading, "k"),
    (Generic.Prompt, "c"),
    (Generic.Output, ""),
)


def paint(code: str, language: str, _attributes: str = "") -> str:
    """The HTML of a highlighted code block, or "" if it is too long or in an unknown language; the caller then escapes
    it."""
    lexer = _lexer(language.lower()) if len(code) <= MAX_CODE else None
    if lexer is None:
        return ""
    runs: list[tuple[str, str]] = []
    for token, text in lexer.get_tokens(code):
        name = _class(token)
        if runs and (runs[-1][0] == name or not text.strip()):
            runs[-1] = (runs[-1][0], runs[-1][1] + text)
        else:
            runs.append((name, text))
    return "".join(
        f'<i class="{name}">{escape(text, False)}</i>' if name else escape(text, False) for name, text in runs
    )


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    name = _ALIASES.get(language)
    return get_lexer_by_name(name, stripnl=False, ensurenl=False) if name else None


@lru_cache(maxsize=512)
def _class(token: _TokenType) -> str:
    return next((name for kind, name in _CLASSES if kind in token.split()), "")
