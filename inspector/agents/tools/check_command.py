"""Checks the words of a command before it is run: options against the lists, paths against the roots."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.agents.tools.access import Readable
from inspector.agents.tools.allowed import (
    COMMANDS,
    FIND,
    FIND_ALONE,
    FIND_BEFORE_PATHS,
    FIND_WITH_PATH,
    FIND_WITH_TEXT,
    NAMES,
    TAIL,
    Options,
    is_number,
)
from inspector.agents.tools.command import Stage, Word
from inspector.agents.tools.tool import DeniedError
from inspector.agents.tools.wildcards import expand_pattern

_COUNT = re.compile(r"-\d{1,9}")


def check_command(stage: Stage, readable: Readable) -> list[str]:
    """The words to start the program with: as written, with wild cards expanded."""
    name = stage[0].text
    if name not in NAMES:
        raise DeniedError(f"only {', '.join(sorted(NAMES))} may be run, not {name}.")
    words = _find(stage[1:], readable) if name == FIND else _usual(name, stage[1:], readable)
    return [name, *words]


def _usual(name: str, words: Stage, readable: Readable) -> Iterator[str]:
    options, rest = COMMANDS[name], list(words)
    pattern_due = options.pattern_first and not _gives_pattern(options, words)
    only_operands = False
    while rest:
        word = rest.pop(0)
        if only_operands or not word.text.startswith("-") or word.text == "-":
            if pattern_due:
                pattern_due = False
                yield word.text
            elif word.text == "-":
                yield word.text
            elif name == TAIL and word.text.startswith("+"):
                # The old form of an option: `+1f` follows a file for ever.
                raise DeniedError(f"{name} may not be run with {word.text}; write -n, or ./{word.text} for a file.")
            else:
                yield from _paths(word, readable)
        elif word.text == "--":
            only_operands = True
            yield word.text
        else:
            yield word.text
            if _takes_next(name, options, word.text):
                if not rest:
                    raise DeniedError(f"{name} {word.text} needs a value.")
                value = rest.pop(0).text
                _check_value(name, options, word.text if word.text.startswith("--") else f"-{word.text[-1]}", value)
                yield value


def _gives_pattern(options: Options, words: Stage) -> bool:
    """Whether -e is among the options."""
    rest = [word.text for word in words]
    while rest:
        text = rest.pop(0)
        if text == "--":
            return False
        if not text.startswith("-") or text == "-":
            continue
        if text.startswith("--"):
            if text.split("=", 1)[0] == "--regexp":
                return True
            if "=" not in text and text in options.values and rest:
                rest.pop(0)
            continue
        for place, letter in enumerate(text[1:], 1):
            if letter == "e":
                return True
            if f"-{letter}" in options.values:
                if place == len(text) - 1 and rest:
                    rest.pop(0)
                break
    return False


def _takes_next(name: str, options: Options, text: str) -> bool:
    """Checks one option. Returns whether its value is the next word."""
    if text.startswith("--"):
        long, has_value, value = text.partition("=")
        if long in options.values:
            if has_value:
                _check_value(name, options, long, value)
            return not has_value
        if long in options.flags and (not has_value or long in ("--color", "--colour")):
            return False
        raise DeniedError(f"{name} may not be run with {long}.")
    if options.count and _COUNT.fullmatch(text):
        return False
    for place, letter in enumerate(text[1:], 1):
        short = f"-{letter}"
        if short in options.values:
            attached = text[place + 1 :]
            if attached:
                _check_value(name, options, short, attached)
            return not attached
        if short not in options.flags:
            raise DeniedError(f"{name} may not be run with {short}.")
    return False


def _check_value(name: str, options: Options, option: str, value: str) -> None:
    if option in options.numbers and not is_number(value):
        raise DeniedError(f"{name} {option} needs a number.")


def _find(words: Stage, readable: Readable) -> Iterator[str]:
    rest = list(words)
    while rest and rest[0].text in FIND_BEFORE_PATHS:
        yield rest.pop(0).text
    while rest and not _begins_expression(rest[0].text):
        yield from _paths(rest.pop(0), readable)
    while rest:
        text = rest.pop(0).text
        yield text
        if text in FIND_ALONE:
            continue
        if text not in FIND_WITH_TEXT | FIND_WITH_PATH:
            raise DeniedError(f"find may not be run with {text}.")
        if not rest:
            raise DeniedError(f"find {text} needs a value.")
        value = rest.pop(0)
        if text in FIND_WITH_PATH:
            readable.resolve(value.text)
        yield value.text


def _begins_expression(text: str) -> bool:
    return text.startswith("-") or text in ("(", ")", "!", ",")


def _paths(word: Word, readable: Readable) -> Iterator[str]:
    """The path, or all paths that a pattern matches; each is inside the roots."""
    if word.pattern is None:
        readable.resolve(word.text)
        yield word.text
        return
    for name in expand_pattern(word.pattern, readable) or [word.text]:
        readable.resolve(name)
        yield f"./{name}" if name.startswith("-") else name
