"""Loads templates without the line breaks and indents that make them readable."""

from __future__ import annotations

import re

from django.template import Origin
from django.template.loaders import filesystem

INDENTATION = re.compile(r"\n[ \t]+")
_DJANGO = r"\{%.*?%\}|\{\{.*?\}\}"
_QUOTED = rf'"(?:{_DJANGO}|[^"])*"'
_TAG = re.compile(rf"</?[a-zA-Z](?:{_DJANGO}|{_QUOTED}|[^>\"{{])*>")
_BREAK = re.compile(rf"({_QUOTED}|{_DJANGO})|\s*\n\s*(>)?")
_CHOICE = re.compile(
    rf"({_QUOTED})| ?(\{{% (?:if|elif|else|with)\b.*?%\}}) ?(?=[a-z])| (?=\{{% (?:elif|else|endif|endwith)\b)"
)
_BLOCK = r"</?(?:article|aside|dd|div|dl|dt|header|h[1-6]|li|main|nav|ol|p|section|table|tbody|td|th|thead|tr|ul)\b"
_BESIDE = re.compile(rf"\n*({_BLOCK}(?:{_DJANGO}|{_QUOTED}|[^>\"{{])*>)\n*")
"""A block element with the line breaks around it, which never show."""


def compact(text: str) -> str:
    """Puts every tag on one line, and removes white space that never shows."""
    return _BESIDE.sub(r"\1", _TAG.sub(_one_line, INDENTATION.sub("\n", text)))


def _one_line(tag: re.Match[str]) -> str:
    line = _BREAK.sub(lambda match: match[1] or match[2] or " ", tag[0])
    return _CHOICE.sub(lambda match: match[1] or (f"{match[2]} " if match[2] else ""), line)


class Loader(filesystem.Loader):
    """Does it once, when a template is compiled."""

    def get_contents(self, origin: Origin) -> str:
        return compact(super().get_contents(origin))
