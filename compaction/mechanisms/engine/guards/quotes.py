"""Checks that a summary quotes the user's own words: a model that paraphrases or invents them changes the task."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sessions.text.engine.words import plural
from sessions.transcripts.engine.messages import Message, MessageKind

_SECTION = re.compile(r"^[ \t#*]*(\d+)[.)][ \t*]*(.*)$", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*(?:[-*•]|\d+[.)])[ \t]+")
_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:\.\.\.|…)\s*\]|\.\.\.|…)\s*")
_QUOTED = "\"'“”‘’«»„`*_"
_TITLED = re.compile(r"^[ \t]*(#{1,6}|\*\*)[ \t]*(\S.*)$", re.MULTILINE)
_WORDLESS = "\u0e00"
"""From here on, scripts do not separate words by spaces, so the end of a word is unknown."""
_LETTERS = re.compile(rf"[^\W_{_WORDLESS}-\U0010ffff]+")
_NOTHING = re.compile(r"^\W*(?:none|nothing|no (?:user )?messages?)\b.{0,40}$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    verbatim: tuple[str, ...] = ()
    shortened: tuple[str, ...] = ()
    """The user's words, with gaps that are marked as such."""
    invented: tuple[str, ...] = ()
    """Quoted as the user's, who never wrote them."""
    missing: tuple[str, ...] = ()
    """Ids of messages of the user that the summary does not quote."""

    @property
    def remark(self) -> str:
        """Part of a sentence; empty if all is well."""
        parts = []
        if self.invented:
            parts.append(
                plural(len(self.invented), "quoted user message was", "quoted user messages were") + " never written"
            )
        if self.missing:
            parts.append(plural(len(self.missing), "user message is", "user messages are") + " not quoted")
        return " and ".join(parts)


def check_quotes(summary: str, source: Sequence[Message], whole: Sequence[Message] = ()) -> QuoteCheck:
    """Compares the section of user messages with what the user wrote, or what an earlier summary says they wrote.

    `whole` is the conversation before any compaction, if it is known: with it, what an earlier summary made up does not
    pass as the user's.
    """
    prompts = {
        message.uuid: _collapse_whitespace(_text(message)) for message in source if message.kind is MessageKind.PROMPT
    }
    earlier = (MessageKind.SUMMARY, MessageKind.PROMPT) if whole else (MessageKind.SUMMARY,)
    passed_on = [_collapse_whitespace(_text(message)) for message in whole or source if message.kind in earlier]
    # The same words count once, however often they were written.
    texts, passed_on = set(prompts.values()), list(dict.fromkeys(passed_on))
    verbatim, shortened, invented = [], [], []
    quoted: set[str] = set()
    for item in find_quoted_messages(summary):
        plain = _collapse_whitespace(item.strip().strip(_QUOTED))
        pieces = [piece.strip(_QUOTED + " ") for piece in _ELLIPSIS.split(plain)]
        if not any(pieces):
            continue
        full = {text for text in texts if _occur_in_order([plain], text)}
        partly = {text for text in texts if _occur_in_order(pieces, text)}
        if full or any(_occur_in_order([plain], text) for text in passed_on):
            verbatim.append(item)
        elif partly or any(_occur_in_order(pieces, text) for text in passed_on):
            shortened.append(item)
        else:
            invented.append(item)
        quoted |= full | partly
    missing = tuple(uuid for uuid, text in prompts.items() if text and text not in quoted)
    return QuoteCheck(tuple(verbatim), tuple(shortened), tuple(invented), missing)


def find_quoted_messages(summary: str) -> list[str]:
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
        end = next((later.start() for later in headings[place + 1 :] if _is_next(later, number)), len(summary))
        return heading[2].partition(":")[2].strip("* ") + "\n" + summary[heading.end() : end]
    return _unnumbered_section(summary)


def _unnumbered_section(summary: str) -> str:
    """The section under a Markdown heading or a line in bold, up to the next of its kind: some models omit numbers."""
    headings = list(_TITLED.finditer(summary))
    for place, heading in enumerate(headings):
        if "user messages" in heading[2].lower():
            same = (later.start() for later in headings[place + 1 :] if later[1] == heading[1])
            return summary[heading.end() : next(same, len(summary))]
    return ""


def _is_next(heading: re.Match[str], number: int) -> bool:
    titled = heading[2].strip().rstrip("*").endswith(":") or "pending" in heading[2].lower()
    return int(heading[1]) == number + 1 and titled


def _occur_in_order(pieces: Sequence[str], text: str) -> bool:
    """Whether the text has the pieces in this order, with whole words at both ends: "no" is no quote of "know". A word
    may be cut at a gap; a gap at an end is an empty piece."""
    position = 0
    for number, piece in enumerate(pieces):
        position = _find_piece_end(piece, text, position, begins=number == 0, ends=number == len(pieces) - 1)
        if position < 0:
            return False
    return True


def _find_piece_end(piece: str, text: str, start: int, *, begins: bool, ends: bool) -> int:
    position = text.find(piece, start)
    while position >= 0:
        end = position + len(piece)
        # From the middle of a word, go on at its end: character by character, a long text without a space would be
        # compared with itself.
        if piece and begins and (word := _find_word_end(text, position)):
            position = text.find(piece, word)
        elif piece and ends and (word := _find_word_end(text, end)):
            position = text.find(piece, max(position + 1, word - len(piece)))
        else:
            return end
    return -1


def _find_word_end(text: str, place: int) -> int:
    """The end of the word that spans this position; 0 if none does."""
    if not place or not _LETTERS.match(text, place - 1):
        return 0
    rest = _LETTERS.match(text, place)
    return rest.end() if rest else 0


def _collapse_whitespace(text: str) -> str:
    return " ".join(text.split())


def _text(message: Message) -> str:
    return "\n".join(str(block.get("text")) for block in message.content if block.get("type") == "text")
