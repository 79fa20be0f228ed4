"""Are the user's words in a summary the user's words? A model that paraphrases or invents them changes the task."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sessions.engine.messages import Kind, Message

_SECTION = re.compile(r"^[ \t#*]*(\d+)[.)][ \t*]*(.*)$", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*(?:[-*•]|\d+[.)])[ \t]+")
_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:\.\.\.|…)\s*\]|\.\.\.|…)\s*")
_QUOTED = "\"'“”‘’«»„`"
_NOTHING = re.compile(r"^\W*(?:none|nothing|no (?:user )?messages?)\b.{0,40}$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quotes:
    verbatim: tuple[str, ...] = ()
    shortened: tuple[str, ...] = ()
    """The user's words, with gaps that are marked as such."""
    invented: tuple[str, ...] = ()
    """Given as words of the user, who never wrote them."""
    missing: tuple[str, ...] = ()
    """Ids of messages of the user that the summary does not quote."""

    @property
    def remark(self) -> str:
        """A sentence, or nothing if all is well."""
        parts = []
        if self.invented:
            parts.append(f"{len(self.invented)} of the quoted user messages were never written")
        if self.missing:
            parts.append(f"{len(self.missing)} user messages are not quoted")
        return " and ".join(parts)


def quotes_checked(summary: str, source: Sequence[Message], whole: Sequence[Message] = ()) -> Quotes:
    """Compares the section of user messages with what the user wrote, or what an earlier summary says they wrote.

    `whole` is the conversation before any compaction, where it is known: then what an earlier summary made up is not
    passed on as the user's.
    """
    said = {message.uuid: _plain(_text(message)) for message in source if message.kind is Kind.PROMPT}
    earlier = (Kind.SUMMARY, Kind.PROMPT) if whole else (Kind.SUMMARY,)
    passed_on = [_plain(_text(message)) for message in whole or source if message.kind in earlier]
    verbatim, shortened, invented = [], [], []
    quoted: set[str] = set()
    for item in quoted_messages(summary):
        plain = _plain(item.strip().strip(_QUOTED))
        pieces = [piece.strip(_QUOTED + " ") for piece in _ELLIPSIS.split(plain)]
        pieces = [piece for piece in pieces if piece]
        if not pieces:
            continue
        full = {uuid for uuid, text in said.items() if plain and (plain in text or text == plain)}
        partly = {uuid for uuid, text in said.items() if _in_order(pieces, text)}
        if full or any(plain in text for text in passed_on):
            verbatim.append(item)
        elif partly or any(_in_order(pieces, text) for text in passed_on):
            shortened.append(item)
        else:
            invented.append(item)
        quoted |= full | partly
    missing = tuple(uuid for uuid, text in said.items() if text and uuid not in quoted)
    return Quotes(tuple(verbatim), tuple(shortened), tuple(invented), missing)


def quoted_messages(summary: str) -> list[str]:
    """The items of the section "All User Messages"."""
    section = _user_section(summary)
    items: list[list[str]] = []
    for line in section.splitlines():
        if (bullet := _ITEM.match(line)) is not None:
            items.append([line[bullet.end() :]])
        elif line.strip() and items:
            items[-1].append(line.strip())
        elif line.strip():
            items.append([line.strip()])
    texts = ["\n".join(item).strip() for item in items]
    return [text for text in texts if text and not _NOTHING.match(text)]


def _user_section(summary: str) -> str:
    headings = list(_SECTION.finditer(summary))
    for place, heading in enumerate(headings):
        if "user messages" not in heading[2].lower():
            continue
        number = int(heading[1])
        # Only the next number in line ends the section: a user may have written a numbered list.
        end = next((one.start() for one in headings[place + 1 :] if _is_next(one, number)), len(summary))
        return heading[2].partition(":")[2].strip("* ") + "\n" + summary[heading.end() : end]
    return ""


def _is_next(heading: re.Match[str], number: int) -> bool:
    titled = heading[2].strip().rstrip("*").endswith(":") or "pending" in heading[2].lower()
    return int(heading[1]) == number + 1 and titled


def _in_order(pieces: Sequence[str], text: str) -> bool:
    at = 0
    for piece in pieces:
        found = text.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _plain(text: str) -> str:
    return " ".join(text.split())


def _text(message: Message) -> str:
    return "\n".join(str(block.get("text")) for block in message.content if block.get("type") == "text")
