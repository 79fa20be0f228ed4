from __future__ import annotations

import shlex

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from inspector.agents.tools.command import MOST_STAGES, MOST_WORDS, parse
from inspector.agents.tools.tool import DeniedError

SIGNS = st.sampled_from([*"ab-=./ \t'\"\\|;&<>$`(){}*?[]#~!\n\r\0é🎈", "ls", "find", "-exec", "||", "$(", "2>"])
LINES = st.one_of(st.text(max_size=60), st.lists(SIGNS, max_size=30).map("".join))


def texts(command: str) -> list[list[str]]:
    return [[word.text for word in stage] for stage in parse(command)]


@given(LINES)
@example("'")
@example('"\\')
@example("a|")
def test_it_raises_nothing_but_its_own_refusal(line: str) -> None:
    try:
        stages = parse(line)
    except DeniedError:
        return
    assert stages
    assert all(stages)


@given(LINES)
def test_what_it_reads_is_what_a_shell_would_read(line: str) -> None:
    try:
        stages = texts(line)
    except DeniedError:
        return
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|")
    lexer.whitespace, lexer.commenters, lexer.whitespace_split = " \t", "", True
    read: list[list[str]] = [[]]
    for token in lexer:
        if token == "|" and len(read[-1]) == len(stages[len(read) - 1]):
            read.append([])
        else:
            read[-1].append(token)
    assert read == stages


@given(
    st.lists(
        st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1, max_size=5),
        min_size=1,
        max_size=4,
    )
)
def test_quoted_words_come_out_as_they_went_in(stages: list[list[str]]) -> None:
    line = " | ".join(shlex.join(words) for words in stages)
    assume(len(line) < 5000)
    assert texts(line) == stages
    assert all(word.pattern is None for stage in parse(line) for word in stage)


@pytest.mark.parametrize(
    "line",
    [
        "ls; rm -r x",
        "ls && rm x",
        "ls & rm x",
        "ls || rm x",
        "ls |& cat",
        "ls > x",
        "ls >> x",
        "ls 2>/dev/null",
        "cat < x",
        "cat <(ls)",
        "cat <<< x",
        "ls `pwd`",
        "ls $(pwd)",
        'ls "$(pwd)"',
        'ls "`pwd`"',
        "ls $HOME",
        'ls "$HOME"',
        "(ls)",
        "{ ls; }",
        "ls {a,b}",
        "ls\nrm x",
        "ls \\\nrm",
        "ls \r rm",
        "ls 'a",
        'ls "a',
        "ls \\",
        "",
        "  ",
        "|",
        "ls |",
        "| ls",
        "ls | | cat",
        "ls # comment",
        "ls \0",
        "ls 'a\0'",
        "ls " * 20_000,
        "a " * (MOST_WORDS + 1),
        "|".join(["a"] * (MOST_STAGES + 1)),
    ],
)
def test_everything_that_is_more_than_words_and_pipes_is_refused(line: str) -> None:
    with pytest.raises(DeniedError):
        parse(line)


@pytest.mark.parametrize(
    ("line", "stages"),
    [
        ("ls", [["ls"]]),
        ("ls -la 'a b'", [["ls", "-la", "a b"]]),
        ('grep "a \\"b\\" \\$c" x', [["grep", 'a "b" $c', "x"]]),
        ("grep 'a|b' x|wc -l", [["grep", "a|b", "x"], ["wc", "-l"]]),
        ("find . \\( -name a -o -name b \\)", [["find", ".", "(", "-name", "a", "-o", "-name", "b", ")"]]),
        ("-ex''ec", [["-exec"]]),
        ('cat ""', [["cat", ""]]),
        ("cat a#b", [["cat", "a#b"]]),
    ],
)
def test_words_quotes_and_pipes_are_read(line: str, stages: list[list[str]]) -> None:
    assert texts(line) == stages


def test_only_wild_cards_outside_of_quotes_are_wild() -> None:
    ((command, quoted, wild),) = parse("ls '*.md' '[a]'*.md")
    assert (command.pattern, quoted.pattern) == (None, None)
    assert (wild.text, wild.pattern) == ("[a]*.md", "[[]a]*.md")
