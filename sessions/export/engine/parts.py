"""The parts of a card as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sessions.export.engine.fences import escape_line, make_code_span, make_fence
from sessions.export.engine.safe_markdown import contain_markdown
from sessions.text.engine.diffs import Diff
from sessions.text.engine.words import size
from sessions.timeline.engine.cards.card import (
    Changes,
    Fold,
    Links,
    Output,
    Pairs,
    Part,
    Picture,
    Pictures,
    Plain,
    Prose,
    Question,
    Questions,
    Spill,
    Todos,
)

_UNSAFE = re.compile(r"[\s<>\\]")
_TICKS = {"completed": "x", "pending": " "}


def part_markdown(part: Part) -> str:
    match part:
        case Prose(text) | Plain(text):
            return contain_markdown(text)
        case Output(text):
            return make_fence(text)
        case Changes(diff):
            return make_fence("\n".join(_diff(diff)), "diff")
        case Todos():
            return _todos(part)
        case Pairs(items):
            return "\n".join(f"- {escape_line(name)}: {_value(value)}" for name, value in items)
        case Questions(items):
            return "\n".join(_question(question) for question in items)
        case Links(items):
            return "\n".join(f"- {_link(link.title, link.url)}" for link in items)
        case Pictures(items):
            return "\n".join(_picture(picture) for picture in items)
        case Spill(name, extent):
            file = f" ({escape_line(name)})" if name else ""
            return f"*{escape_line(extent) + ' ' if extent else ''}on disk{file}; the model got a preview.*"
        case Fold(title, parts):
            return quote_text("\n\n".join((f"**{escape_line(title)}**", *map(part_markdown, parts))))


def quote_text(text: str) -> str:
    return "\n".join(f"> {row}".rstrip() for row in text.split("\n"))


def _diff(diff: Diff) -> Iterator[str]:
    for hunk in diff.hunks:
        yield f"@@ line {hunk.new} @@" if hunk.new is not None else "@@ @@"
        yield from (f"{' ' if row.kind == '~' else row.kind}{row.text}" for row in hunk.lines)


def _todos(todos: Todos) -> str:
    rows = [
        f"- [{_TICKS.get(todo.state, ' ')}] {escape_line(todo.text)}{_state_note(todo.state)}" for todo in todos.items
    ]
    return "\n".join([*rows, *([f"- and {todos.more} more"] if todos.more else [])])


def _state_note(state: str) -> str:
    return "" if state in _TICKS else f" ({escape_line(state.replace('_', ' ')) or 'state unknown'})"


def _value(value: str) -> str:
    """Beside its name where it is one line, else in a fence that belongs to the item."""
    if "\n" not in value:
        return make_code_span(value) or "(empty)"
    return "\n\n" + "\n".join(f"  {row}".rstrip() for row in make_fence(value).split("\n")) + "\n"


def _question(question: Question) -> str:
    options = " · ".join(escape_line(option) for option in question.options)
    answer = escape_line(question.answer) if question.answer else "no answer recorded"
    return "\n".join(
        f"- {row}" if not number else f"  - {row}"
        for number, row in enumerate(
            (f"**{escape_line(question.text)}**", *((options,) if options else ()), f"→ {answer}")
        )
    )


def _link(title: str, url: str) -> str:
    return f"[{escape_line(title)}](<{url}>)" if url and not _UNSAFE.search(url) else escape_line(title)


def _picture(picture: Picture) -> str:
    return f"[image: {escape_line(picture.media_type)}, {size(picture.bytes)}]"
