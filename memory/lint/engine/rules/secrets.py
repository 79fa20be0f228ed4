"""Keys, tokens and passwords: memory is part of every session and sent to the provider of the model."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from memory.files.engine.reading.directory import MemoryDirectory
from memory.files.engine.reading.file import MemoryFile
from memory.lint.engine.finding import Changes, Finding, Fix, Severity
from memory.lint.engine.line_text import MOST_CHARACTERS
from memory.lint.engine.rules.reading import is_binary
from memory.lint.engine.surroundings import Surroundings
from sessions.secrets.engine import mask
from sessions.text.engine.excerpt import excerpt


def check(directory: MemoryDirectory, surroundings: Surroundings) -> Iterator[Finding]:
    for file in directory.files:
        text = file.text[:MOST_CHARACTERS]
        if is_binary(file) or mask(text) == text:
            continue
        fix = Fix("Mask it in the file", partial(_mask_file, file)) if file.is_whole else None
        for number, masked in _find_secrets(text):
            words = f"A secret stands here in plain text: {excerpt(masked, 80)}"
            yield Finding("secret", file.name, Severity.ERROR, words, number, fix=fix)


def _find_secrets(text: str) -> Iterator[tuple[int, str]]:
    """Masked lines with secrets. A secret that spans lines, such as a private key, is reported at its first."""
    lines = text.split("\n")
    masked_lines = [(number, masked) for number, line in enumerate(lines, start=1) if (masked := mask(line)) != line]
    if masked_lines:
        yield from masked_lines
        return
    masked = mask(text)
    position = next(
        (index for index, (old, new) in enumerate(zip(text, masked, strict=False)) if old != new), len(masked) - 1
    )
    number = text.count("\n", 0, position) + 1
    yield number, masked.split("\n")[number - 1]


def _mask_file(file: MemoryFile) -> Changes:
    return {file.name: file.source.encode(mask(file.source.text))}
