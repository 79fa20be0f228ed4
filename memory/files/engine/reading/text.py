"""Decodes the bytes of a file so that they can be restored exactly, with any encoding, endings and invalid bytes."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from enum import StrEnum

_ESCAPED = dict.fromkeys(range(56448, 56576), 65533)
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class Newline(StrEnum):
    LF = "\n"
    CRLF = "\r\n"
    MIXED = "mixed"
    NONE = ""


@dataclass(frozen=True, slots=True)
class DecodedText:
    """A text from which `encode` restores the same bytes. Invalid bytes are lone surrogates in `text`. `displayed` is
    safe for pages, the database and JSON, and has the same positions."""

    text: str
    encoding: str = "utf-8"
    mark: bytes = b""
    is_valid: bool = True
    """False if some bytes are not valid in the encoding."""

    @property
    def displayed(self) -> str:
        return self.text if self.is_valid else self.text.translate(_ESCAPED)

    @property
    def lines(self) -> list[str]:
        """The lines with their endings. Only `\\n` ends a line, as in the agent's own reader."""
        return split_lines(self.text)

    @property
    def newline(self) -> Newline:
        every = self.text.count("\n")
        crlf = self.text.count("\r\n")
        if not every:
            return Newline.NONE
        return Newline.CRLF if crlf == every else Newline.MIXED if crlf else Newline.LF

    @property
    def line_end(self) -> str:
        """The ending for a new line of this file."""
        return "\r\n" if self.newline is Newline.CRLF else "\n"

    def encode(self, text: str) -> bytes:
        """Encodes another text in the same encoding; unchanged parts keep their bytes."""
        errors = "surrogateescape" if self.encoding == "utf-8" else "surrogatepass"
        return self.mark + text.encode(self.encoding, errors)


def decode(data: bytes) -> DecodedText:
    """Decodes any bytes; never raises."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decode(data, mark, encoding)
    return _decode(data, b"", "utf-8")


def _decode(data: bytes, mark: bytes, encoding: str) -> DecodedText:
    body = data[len(mark) :]
    try:
        return DecodedText(body.decode(encoding), encoding, mark)
    except UnicodeDecodeError:
        # A broken UTF-16 file could not be restored byte for byte; as UTF-8 with escapes, any file can.
        return DecodedText(data.decode("utf-8", "surrogateescape"), "utf-8", b"", is_valid=False)


def split_lines(text: str, most: int = -1) -> list[str]:
    """The lines with their endings. Only `\n` ends a line, not U+2028 and the like. Whatever follows `most` lines is
    one more."""
    lines = text.split("\n", most)
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])


def strip_line_end(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r")
