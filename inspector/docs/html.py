"""Renders a document as HTML: headings with GitHub's anchors, links to the pages of other documents, screenshots in the
theme of the reader. The text is our own, yet no HTML except images and no inline style is passed on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape, unescape
from itertools import pairwise
from pathlib import Path
from posixpath import dirname, join, normpath

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.anchors import anchors_plugin

from sessions.text.engine.colours import paint
from sessions.text.engine.prose import Html

_HERE = "http://127.0.0.1:8765/"
"""How documents link to Lucid's own pages, so that the links also work where the files are read elsewhere."""
_PICTURE = re.compile(r'<img alt="([^"]*)" src="([^"]+)">')


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    title: str
    body: Html
    """Everything except the title."""
    headings: tuple[Heading, ...]
    """The title is the first."""

    @property
    def sections(self) -> list[Heading]:
        return [heading for heading in self.headings if heading.level == 2]


@dataclass(frozen=True, slots=True)
class LinkTargets:
    """What a document may link to."""

    addresses: Mapping[str, str]
    """By the names of the documents."""
    pictures: Mapping[str, tuple[str, Path]]
    """Addresses and files, by file name."""


def render_document(text: str, name: str, shelf: LinkTargets) -> Document:
    parser = _parser()
    tokens = parser.parse(text)
    headings = tuple(_headings(tokens))
    if headings and headings[0].level == 1 and tokens[0].type == "heading_open":
        tokens = tokens[3:]
    for token in tokens:
        if token.type in ("th_open", "td_open") and (style := token.attrs.pop("style", None)):
            token.attrs["class"] = "r" if "right" in str(style) else "m" if "center" in str(style) else "l"
        elif token.type == "html_block":
            token.content = _screenshot(token.content, shelf)
        elif token.type == "inline":
            _rewrite_links(token.children or [], name, shelf)
    return Document(
        headings[0].text if headings else name, Html(parser.renderer.render(tokens, parser.options, {})), headings
    )


def title_of(text: str, otherwise: str) -> str:
    tokens = _parser().parse(text.partition("\n\n")[0])
    return next((heading.text for heading in _headings(tokens)), otherwise)


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "highlight": paint}).enable(["table", "strikethrough"])
    return parser.use(anchors_plugin, max_level=4)


def _headings(tokens: list[Token]) -> Iterator[Heading]:
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and (anchor := token.attrGet("id")):
            yield Heading(int(token.tag[1]), str(anchor), _plain(inline))


def _plain(inline: Token) -> str:
    return "".join(" " if child.type == "softbreak" else child.content for child in inline.children or ())


def _screenshot(block: str, shelf: LinkTargets) -> str:
    """The screenshot of an HTML block; comments and other HTML are dropped."""
    match = _PICTURE.search(block)
    return f"<p>{_picture(unescape(match[1]), match[2], shelf)}</p>\n" if match else ""


def _rewrite_links(children: list[Token], name: str, shelf: LinkTargets) -> None:
    closing: list[str] = []
    for token in children:
        if token.type == "link_open":
            href = str(token.attrs.get("href", ""))
            address = _address(href, name, shelf)
            token.tag = "a" if address else "span"
            token.attrs = {"href": address} if address else {"title": href}
            closing.append(token.tag)
        elif token.type == "link_close":
            token.tag = closing.pop() if closing else "span"
        elif token.type == "image":
            token.type, token.content = "html_inline", _picture(token.content, str(token.attrs["src"]), shelf)
        elif token.type == "html_inline":
            token.type = "text"


def _address(href: str, name: str, shelf: LinkTargets) -> str:
    """The address; empty if there is no such page, and the text then gets no link."""
    if href.startswith(_HERE):
        return "/" + href.removeprefix(_HERE)
    if href.startswith(("https://", "http://", "#")):
        return href
    path, _, anchor = href.partition("#")
    page = (
        shelf.addresses.get(normpath(join(dirname(name), path)).removesuffix(".md")) if path.endswith(".md") else None
    )
    return page + (f"#{anchor}" if anchor else "") if page else ""


def _picture(label: str, source: str, shelf: LinkTargets) -> str:
    """The picture in both themes if both exist, with its size, so that the page does not move when it loads."""
    folder, _, name = source.rpartition("/")
    if folder != "screenshots" or name not in shelf.pictures:
        return f"<span>{escape(f'image: {label}')}</span>"
    address, file = shelf.pictures[name]
    size = ' width="{}" height="{}"'.format(*_size(file))
    image = f'<img alt="{escape(label)}" src="{escape(address)}"{size} loading="lazy">'
    dark = shelf.pictures.get(name.replace("-light.", "-dark.")) if "-light." in name else None
    if dark is None:
        return image
    darker = f'<source media="(prefers-color-scheme: dark)" srcset="{escape(dark[0])}">'
    return f"<picture>{darker}{image}</picture>"


def _size(file: Path) -> tuple[int, int]:
    """Width and height from the header of a PNG."""
    with file.open("rb") as opened:
        head = opened.read(24)
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
