"""What a request used, and how long the words of the story take; what they weigh is counted in `accounts`."""

from __future__ import annotations

import math
from dataclasses import dataclass


def pace(text: str) -> int:
    """Roughly the tokens of a text, to let the clock of the story go on while it is written."""
    if not text:
        return 0
    digits = sum(char.isdigit() for char in text)
    return math.ceil(len(text) / (2.1 if digits * 4 > len(text) else 3.3)) + 3


@dataclass(frozen=True, slots=True)
class Usage:
    model: str
    input: int = 0
    write: int = 0
    read: int = 0
    output: int = 0
    thinking: int = 0

    @property
    def prompt(self) -> int:
        return self.input + self.write + self.read

    @property
    def context(self) -> int:
        return self.prompt + self.output
