"""Reads a command line as a shell would, but only words, quotes and pipes; everything else is refused.

Nothing is ever passed to a shell: the result is the words to start each program with.
"""

from __future__ import annotations

import glob
from dataclasses import dataclass

from inspector.agents.tools.tool import DeniedError

LONGEST = 10_000
MOST_WORDS = 500
MOST_STAGES = 8

_BLANK = " \t"
_WILD = "*?["
_REFUSED = {
    "\n": "only one line is run",
    "\r": "only one line is run",
    "\0": "a command has no NUL in it",
    ";": "only one pipeline is run at a time",
    "&": "only one pipeline is run at a time",
    "<": "nothing is redirected",
    ">": "nothing is redirected",
    "`": "nothing is substituted",
    "$": "nothing is substituted",
    "(": "there are no subshells; quote the parenthesis if it is meant",
    ")": "there are no subshells; quote the parenthesis if it is meant",
    "{": "braces are not expanded; quote them if they are meant",
    "}": "braces are not expanded; quote them if they are meant",
    "#": "there are no comments; quote the sign if it is meant",
}


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    pattern: str | None = None
    """As a `glob` pattern, if the word has wild cards outside quotes."""


Stage = tuple[Word, ...]


def parse(command: str) -> tuple[Stage, ...]:
    """The words of each command of a pipeline. Raises only DeniedError."""
    if len(command) > LONGEST:
        raise DeniedError("the command is too long.")
    reader = _Reader(command)
    while reader.at < len(command):
        reader.step()
    reader.end_stage(last=True)
    return tuple(reader.stages)


class _Reader:
    def __init__(self, command: str) -> None:
        self.command = command
        self.at = 0
        self.stages: list[Stage] = []
        self._words: list[Word] = []
        self._count = 0
        self._text: list[str] | None = None
        """The word being read; None between words, because a pair of quotes is a word too."""
        self._pattern: list[str] = []
        self._wild = False

    def step(self) -> None:
        sign = self.command[self.at]
        self.at += 1
        if sign in _BLANK:
            self._end_word()
        elif sign == "|":
            self._end_word()
            self.end_stage()
        elif sign == "'":
            self._add(self._until("'"))
        elif sign == '"':
            self._double_quoted()
        elif sign == "\\":
            self._add(self._read_escaped())
        elif sign in _REFUSED and not (sign == "#" and self._text is not None):
            raise DeniedError(f"{_REFUSED[sign]}.")
        elif sign in _WILD:
            self._add(sign, wild=True)
        else:
            self._add(sign)

    def _until(self, quote: str) -> str:
        end = self.command.find(quote, self.at)
        if end < 0:
            raise DeniedError("a quotation mark is missing.")
        text, self.at = self.command[self.at : end], end + 1
        if "\0" in text:
            raise DeniedError(f"{_REFUSED[chr(0)]}.")
        return text

    def _double_quoted(self) -> None:
        self._add("")
        while True:
            if self.at >= len(self.command):
                raise DeniedError("a quotation mark is missing.")
            sign = self.command[self.at]
            self.at += 1
            if sign == '"':
                return
            if sign in "$`\0":
                raise DeniedError(f"{_REFUSED[sign]}; use single quotes if the sign is meant.")
            if sign == "\\" and self.command[self.at : self.at + 1] in ('"', "\\", "$", "`"):
                sign = self._read_escaped()
            self._add(sign)

    def _read_escaped(self) -> str:
        if self.at >= len(self.command) or self.command[self.at] in "\n\r\0":
            raise DeniedError("there is nothing after the last backslash.")
        sign = self.command[self.at]
        self.at += 1
        return sign

    def _add(self, text: str, *, wild: bool = False) -> None:
        self._text = [] if self._text is None else self._text
        self._text.append(text)
        self._pattern.append(text if wild else glob.escape(text))
        self._wild = self._wild or wild

    def _end_word(self) -> None:
        if self._text is None:
            return
        self._count += 1
        if self._count > MOST_WORDS:
            raise DeniedError("the command has too many words.")
        self._words.append(Word("".join(self._text), "".join(self._pattern) if self._wild else None))
        self._text, self._pattern, self._wild = None, [], False

    def end_stage(self, *, last: bool = False) -> None:
        self._end_word()
        if not self._words:
            raise DeniedError(
                "a command is missing." if last or not self.stages else "a command is missing in the pipe."
            )
        self.stages.append(tuple(self._words))
        self._words = []
        if len(self.stages) > MOST_STAGES:
            raise DeniedError("the pipe is too long.")
