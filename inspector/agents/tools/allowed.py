"""The commands that may be run, with their options. What is not listed is refused.

The lists leave out whatever writes, runs other programs, waits for ever, follows links, or reads names from a file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER = re.compile(r"[+-]?\d{1,15}[bkKMGT]?B?")


@dataclass(frozen=True, slots=True)
class Options:
    """`values` are the options that take a value: attached, after `=`, or as the next word."""

    flags: frozenset[str]
    values: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    """Options whose value must be a number."""
    count: bool = False
    """Whether a number such as `-5` is an option."""
    pattern_first: bool = False
    """Whether the first operand is a pattern, unless an option gives one."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _options(
    short: str, long: str, values: str = "", numbers: str = "", *, count: bool = False, pattern_first: bool = False
) -> Options:
    flags = {f"-{letter}" for letter in short} | {f"--{name}" for name in long.split()}
    named = {f"-{name}" if len(name) == 1 else f"--{name}" for name in f"{values} {numbers}".split()}
    numeric = {f"-{name}" if len(name) == 1 else f"--{name}" for name in numbers.split()}
    return Options(frozenset(flags), frozenset(named), frozenset(numeric), count, pattern_first)


_PART = "quiet silent verbose zero-terminated"

COMMANDS = {
    "ls": _options(
        "aAlhtSrR1dFisngopcuUXBQkmxCNbqv",
        "all almost-all human-readable recursive reverse size inode directory classify full-time no-group "
        "numeric-uid-gid group-directories-first si escape quote-name author",
        "time-style sort time",
    ),
    "cat": _options("nbsAETvetu", "number number-nonblank squeeze-blank show-all show-ends show-tabs show-nonprinting"),
    "stat": _options("t", "terse", "c format printf"),
    "wc": _options("lwcmL", "lines words bytes chars max-line-length"),
    "head": _options("qvz", _PART, "", "n c lines bytes", count=True),
    "tail": _options("qvz", _PART, "", "n c lines bytes", count=True),
    "grep": _options(
        "ivclLnHhoqswxEFGPaIrzZbTy",
        "ignore-case no-ignore-case invert-match count files-with-matches files-without-match line-number "
        "with-filename no-filename only-matching quiet silent no-messages word-regexp line-regexp extended-regexp "
        "fixed-strings basic-regexp perl-regexp text recursive null null-data byte-offset initial-tab color colour",
        "e regexp include exclude exclude-dir",
        "A B C m after-context before-context context max-count",
        count=True,
        pattern_first=True,
    ),
}

FIND = "find"
TAIL = "tail"
FIND_ALONE = _words(
    "( ) ! , -not -a -and -o -or -true -false -print -print0 -ls -prune -quit -depth -mount -xdev -empty -readable "
    "-writable -executable -daystart -noleaf -nouser -nogroup"
)
FIND_WITH_TEXT = _words(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -size -mtime -mmin -atime -amin "
    "-ctime -cmin -newermt -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -printf -lname -ilname"
)
FIND_WITH_PATH = _words("-newer -anewer -cnewer -samefile")
FIND_BEFORE_PATHS = _words("-P")

NAMES = (*COMMANDS, FIND)


def is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None
