"""Renders Markdown of a transcript as safe HTML. The text is untrusted: no raw HTML, no remote content, nothing
invisible."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import Any, Protocol

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

from sessions.text.engine.colours import paint
from sessions.text.engine.invisible_characters import spell_invisible

MAX_PROSE = 500_000
MAX_MARKUP = 4_000
"""Brackets, stars and the like in one paragraph: past this the parser's time is no longer in line with the length."""
_SCHEMES = {"http", "https", "mailto"}
_SCHEME = re.compile(r"(https?|mailto):", re.IGNORECASE)
_PLAIN = re.compile(r"[^\\`*_\[\]<>&#~|\n\r\t\x00!=+-][^\\`*_\[\]<>&#~|\n\r\t\x00]*\Z")
_NUMBERED = re.compile(r"\s|\d+[.)]")
_BELOW = 2
"""Levels: a page has its own title and sections, and what a transcript says must not pass for one of them."""
_TASK = re.compile(r"\[([ xX])\] ")


class Html(str):
    """HTML that is safe to put on a page unchanged."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


@dataclass(frozen=True, slots=True)
class Pointer:
    """A link to another page of ours."""

    label: str
    address: str
    """Empty where there is no such page."""
    missing: str = ""
    """What is not there, in a sentence."""


class Pointers(Protocol):
    """The meaning of links that are written for the agent, which no browser understands."""

    def resolve_link(self, written: str) -> Pointer | None:
        """The target of a Markdown link that has no scheme."""

    def parts(self, text: str) -> Iterable[str | Pointer]:
        """A text without markup, split where it points to something."""


def render(markdown: str, pointers: Pointers | None = None) -> Html:
    """Markdown as sanitised HTML. Accepts any string, never raises, and takes time proportional to its length."""
    if pointers is None and len(markdown) <= 8_000:
        return _render_cached(markdown)
    return _render(markdown, pointers)


@lru_cache(maxsize=512)
def _render_cached(markdown: str) -> Html:
    return _render(markdown)


def _render(markdown: str, pointers: Pointers | None = None) -> Html:
    text = spell_invisible(markdown[:MAX_PROSE])
    if _PLAIN.match(text) and not _NUMBERED.match(text):
        return Html(f"<p>{text.rstrip()}</p>")
    if is_hostile(text):
        return Html(f"<pre>{escape(text, quote=False)}</pre>")
    parser = _parser()
    env: dict[str, Any] = {}
    tokens = parser.parse(text, env)
    _adapt(tokens, pointers)
    return Html(_cleaner().clean(parser.renderer.render(tokens, parser.options, env)))


_MARKUP = re.compile(r"[\[\]*_`<>!~\\]")


def is_hostile(text: str) -> bool:
    if len(text) <= MAX_MARKUP:
        return False
    return any(len(part) > MAX_MARKUP and len(_MARKUP.findall(part)) > MAX_MARKUP // 4 for part in text.split("\n\n"))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "maxNesting": 20, "highlight": paint})
    parser.enable(["table", "strikethrough"])
    # Every address becomes a link here. _adapt decides which ones stay, so that the others keep their text.
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    return parser


@lru_cache(maxsize=1)
def _cleaner() -> nh3.Cleaner:
    plain = "p br hr em strong s code pre blockquote ul ol li table thead tbody tr th td h3 h4 h5 h6 span i a"
    return nh3.Cleaner(
        tags=set(plain.split()),
        attributes={
            "a": {"href"},
            "i": {"class"},
            "ol": {"start"},
            "span": {"class", "title"},
            "th": {"class"},
            "td": {"class"},
        },
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow",
        strip_comments=True,
    )


def _adapt(tokens: list[Token], pointers: Pointers | None) -> None:
    """Keeps only links that a browser may follow, turns images into links and task boxes into characters, and puts
    headings below those of the page."""
    for index, token in enumerate(tokens):
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1:]) + _BELOW)}"
        if token.type in ("th_open", "td_open") and (style := token.attrs.pop("style", None)):
            token.attrs["class"] = "r" if "right" in str(style) else "m" if "center" in str(style) else "l"
        if token.type != "inline" or not token.children:
            continue
        if index >= 2 and tokens[index - 2].type == "list_item_open":
            _draw_checkbox(token.children[0])
        _relink(token.children, pointers)
        if pointers is not None:
            token.children = list(_link_texts(token.children, pointers))


def _draw_checkbox(token: Token) -> None:
    if token.type == "text" and (box := _TASK.match(token.content)):
        token.content = ("\u2610 " if box[1] == " " else "\u2611 ") + token.content[box.end() :]


def _relink(children: list[Token], pointers: Pointers | None) -> None:
    closing: list[str] = []
    for token in children:
        if token.type == "link_open":
            href = str(token.attrs.get("href", ""))
            pointer = pointers.resolve_link(href) if pointers is not None and not _SCHEME.match(href) else None
            if pointer is not None:
                _point_to(token, pointer)
            else:
                token.tag = "a" if _SCHEME.match(href) else "span"
                token.attrs = {"href": href} if token.tag == "a" else {"title": href}
            closing.append(token.tag)
        elif token.type == "link_close":
            token.tag = closing.pop() if closing else "span"
        elif token.type == "image":
            _replace_image(token, linked=bool(closing))


def _point_to(token: Token, pointer: Pointer) -> None:
    token.tag = "a" if pointer.address else "span"
    token.attrs = {"href": pointer.address} if pointer.address else {"class": "dangling", "title": pointer.missing}


def _link_texts(children: list[Token], pointers: Pointers) -> Iterator[Token]:
    """Adds links to texts that point to something, except inside links."""
    links = 0
    for token in children:
        links += token.nesting if token.type in ("link_open", "link_close") else 0
        if token.type != "text" or links:
            yield token
            continue
        for part in pointers.parts(token.content):
            if isinstance(part, str):
                yield Token("text", "", 0, content=part)
            else:
                link = Token("link_open", "a", 1)
                _point_to(link, part)
                yield from (link, Token("text", "", 0, content=part.label), Token("link_close", link.tag, -1))


def _replace_image(token: Token, *, linked: bool) -> None:
    source = str(token.attrs.get("src", ""))
    label = escape(f"image: {token.content or source[:80]}")
    target = escape(source)
    token.type = "html_inline"
    token.content = (
        f'<a href="{target}">{label}</a>' if _SCHEME.match(source) and not linked else f"<span>{label}</span>"
    )
