from __future__ import annotations

from typing import Any

import pytest

from compaction.mechanisms.engine.attachments import FileConfig, Plan, Surroundings, files_read
from compaction.mechanisms.engine.attachments.files import restore_files
from compaction.mechanisms.engine.attachments.parts import AttachmentPart
from sessions.transcripts.engine.messages import Message, MessageKind, replace_fields
from tests.sessions.transcripts.engine.spoken import Talk


def conversation(*paths: str) -> list[Message]:
    talk = Talk()
    for path in paths:
        talk.reads(path)
    return talk.messages


def restored(
    covered: list[Message],
    kept: list[Message] | None = None,
    surroundings: Surroundings | None = None,
    config: FileConfig | None = None,
    files: dict[str, str] | None = None,
) -> tuple[list[AttachmentPart], list[str]]:
    def read(path: str) -> str | None:
        return files.get(path) if files is not None else f"text of {path}"

    parts = list(restore_files(covered, kept or [], surroundings or Surroundings(), config or FileConfig(), read))
    return [part for part in parts if part.text], [remark for part in parts for remark in part.remarks]


def test_the_latest_come_first_and_each_only_once() -> None:
    assert files_read(conversation("a", "b", "a", "c")) == ("c", "a", "b")


def test_what_was_attached_after_an_earlier_compaction_counts_as_read() -> None:
    talk = Talk()
    talk.injected('<file path="old.py">\ntext\n</file>')
    talk.reads("new.py")
    assert files_read(talk.messages) == ("new.py", "old.py")


def test_the_five_read_last_are_read_again() -> None:
    parts, remarks = restored(conversation(*"abcdefg"))
    assert [part.name for part in parts] == ["file:g", "file:f", "file:e", "file:d", "file:c"]
    assert "text of g" in parts[0].text
    assert remarks == ["b is left out: 5 files are restored", "a is left out: 5 files are restored"]


def test_of_many_that_are_left_out_only_the_first_are_named() -> None:
    _, remarks = restored(conversation(*(f"f{number}" for number in range(2000))))
    assert remarks == ["f1994, f1993, f1992 and 1,992 more files are left out: 5 files are restored"]


def test_files_that_the_kept_messages_show_are_left_out() -> None:
    parts, remarks = restored(conversation("a", "b"), conversation("b"))
    assert [part.name for part in parts] == ["file:a"]
    assert remarks == ["b is left out: it stands in the kept messages"]


@pytest.mark.parametrize(
    "result",
    [
        {"content": "[Old tool result content cleared]"},
        {"content": "<persisted-output>\nThe beginning of it\n</persisted-output>"},
        {"content": "no such file", "is_error": True},
    ],
)
def test_a_file_whose_text_is_gone_from_the_kept_messages_is_read_again(result: dict[str, Any]) -> None:
    kept = [
        replace_fields(message, content=tuple({**block, **result} for block in message.content))
        if message.kind is MessageKind.RESULT
        else message
        for message in conversation("b")
    ]
    parts, remarks = restored(conversation("a", "b"), kept)
    assert ([part.name for part in parts], remarks) == (["file:b", "file:a"], [])


def test_plan_and_memory_files_come_in_another_way() -> None:
    around = Surroundings(plan=Plan("/p/plan.md", "1."), memory_paths=("/m/topic.md",))
    parts, remarks = restored(conversation("/p/plan.md", "/m/topic.md", "/x/CLAUDE.md", "a"), surroundings=around)
    assert [part.name for part in parts] == ["file:a"]
    assert len(remarks) == 3


def test_a_file_that_is_gone_takes_no_place() -> None:
    parts, remarks = restored(conversation(*"abcdef"), files=dict.fromkeys("abcde", "x"))
    assert [part.name for part in parts] == ["file:e", "file:d", "file:c", "file:b", "file:a"]
    assert remarks == ["f is left out: it is empty or cannot be read any more"]


def test_a_long_file_is_cut_at_the_end_of_a_line_and_says_so() -> None:
    text = "".join(f"line {number}\n" for number in range(4_000))
    parts, remarks = restored(conversation("a"), files={"a": text})
    text_shown = parts[0].text.partition("[cut after")[0]
    assert len(text_shown) <= 20_000 + len('<file path="a">\n\n')
    assert text_shown.splitlines()[-1].startswith("line ")
    assert text_shown.splitlines()[-1] in text.splitlines()
    assert remarks == ["a is cut from 9,473 to 5,000 tokens"] or remarks[0].startswith("a is cut from ")


def test_all_files_together_have_a_budget() -> None:
    config = FileConfig(tokens_each=100, tokens_in_all=150)
    parts, remarks = restored(conversation("a", "b", "c"), config=config, files=dict.fromkeys("abc", "x" * 400))
    assert [len(part.text) > 390 for part in parts] == [True, False]
    assert remarks == ["b is cut from 100 to 50 tokens", "a is left out: 150 tokens of files are restored"]
