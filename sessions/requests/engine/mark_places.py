"""Why the marks of a request stand where they stand: what a later request can read up to each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sessions.context.engine.certainty import RequestSetup
from sessions.context.engine.rendering.array import Element
from sessions.requests.engine.prompt_cache.cache_marks import mark_messages, mark_paths, mark_tools
from sessions.requests.engine.sent_marks import CacheMark, MarksByBlock


@dataclass(frozen=True, slots=True)
class MarkPlace:
    mark: CacheMark
    sentence: str


def mark_places(setup: RequestSetup, elements: Sequence[Element], marks: MarksByBlock) -> tuple[MarkPlace, ...]:
    """In the order of the prompt."""
    order = {"tools": 0, "system": 1, "messages": 2}
    placed = sorted(marks.items(), key=lambda item: (order[item[0][0]], item[0][1:]))
    sentences = {
        **_tool_sentences(setup),
        **_system_sentences(setup),
        **_message_sentences(elements, [mark.path for _, mark in placed]),
    }
    return tuple(MarkPlace(mark, sentences.get(mark.path, _MIDDLE[section])) for (section, _, _), mark in placed)


_MIDDLE = {
    "tools": "In the middle of the tools.",
    "system": "In the middle of the system prompt: what stands up to here can be read if only later blocks differ.",
    "messages": "In the middle of the messages: what stands up to here can be read if only later ones differ.",
}


def _tool_sentences(setup: RequestSetup) -> dict[str, str]:
    path = mark_paths({"tools": mark_tools(setup.tools or ())})
    return dict.fromkeys(path, "Behind the last tool that is always there: the tools can be read if all else differs.")


def _system_sentences(setup: RequestSetup) -> dict[str, str]:
    last = len(setup.system or ()) - 1
    return {f"system[{last}]": "At the end of the system prompt: it can be read with any other conversation."}


def _message_sentences(elements: Sequence[Element], marked: Sequence[str]) -> dict[str, str]:
    array = [element.to_api() for element in elements]
    last = mark_paths({"messages": mark_messages(array)})
    before = mark_paths({"messages": mark_messages(array, writes=False)})
    sentences = dict.fromkeys(last, "On the last message: the next request can read all of this one.")
    if not set(last) & set(marked):
        sentences |= dict.fromkeys(before, _FORK)
    return sentences


_FORK = (
    "On the message before the last, as a fork does whose own question nobody goes on from: it reads what its parent"
    " wrote and adds nothing."
)
