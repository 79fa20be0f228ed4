from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from compaction.mechanisms.engine.attachments import FileConfig, FileText, Plan, Surroundings, files_touched
from compaction.mechanisms.engine.attachments.file_text import FilePart
from compaction.mechanisms.engine.attachments.files import restore_files
from compaction.mechanisms.engine.attachments.parts import AttachmentPart
from compaction.mechanisms.engine.rules import ARTICLES, CompactionRules, Rules, rules_of
from sessions.transcripts.engine.messages import Message, MessageKind, replace_fields
from tests.sessions.transcripts.engine.spoken import Talk

CALLS = count()


def conversation(*paths: str) -> list[Message]:
    talk = Talk()
    for path in paths:
        talk.result(talk.calls("Read", {"file_path": path}, id=f"{next(CALLS)}"), "1\tread")
    return talk.messages


def restored(
    covered: list[Message],
    kept: list[Message] | None = None,
    surroundings: Surroundings | None = None,
    config: FileConfig | None = None,
    files: dict[str, str] | None = None,
    rules: CompactionRules | None = None,
) -> tuple[list[AttachmentPart], list[str]]:
    def read(path: str) -> FileText | None:
        text = files.get(path) if files is not None else f"text of {path}"
        return None if text is None else FileText.whole(text)

    messages, surroundings = [*covered, *(kept or [])], surroundings or Surroundings()
    parts = list(
        restore_files(messages, slice(0, len(covered)), surroundings, config or FileConfig(), read, rules or ARTICLES)
    )
    return [part for part in parts if part.texts], [remark for part in parts for remark in part.remarks]


def shown(part: AttachmentPart) -> str:
    """The text of the file, without the words around it."""
    return part.texts[-1].partition("Read tool:\n")[2].removesuffix("\n</system-reminder>")


def test_the_latest_come_first_and_each_only_once() -> None:
    assert [*files_touched(conversation("a", "b", "a", "c"))] == ["c", "a", "b"]


def test_what_an_earlier_compaction_attached_counts_as_read_and_stands_in_its_order() -> None:
    talk = Talk()
    talk.injected('Called the Read tool with the following input: {"file_path":"old.py"}')
    talk.injected("Note: large.py was read before the last conversation was summarized, but it is too large.")
    talk.reads("new.py")
    assert [*files_touched(talk.messages)] == ["new.py", "old.py", "large.py"]


def test_a_file_that_was_written_counts_as_touched_and_one_that_could_not_be_edited_does_not() -> None:
    talk = Talk()
    talk.result(talk.calls("Write", {"file_path": "written.py", "content": "new"}))
    refused = talk.result(talk.calls("Edit", {"file_path": "refused.py", "old_string": "a", "new_string": "b"}))
    talk.messages[-1] = replace_fields(refused, content=({**refused.content[0], "is_error": True},))
    assert [*files_touched(talk.messages)] == ["written.py"]


def test_the_five_read_last_are_read_again() -> None:
    parts, remarks = restored(conversation(*"abcdefg"))
    assert [part.name for part in parts] == ["file:g", "file:f", "file:e", "file:d", "file:c"]
    assert shown(parts[0]) == "1\ttext of g"
    assert remarks == ["b is left out: at most 5 files are attached", "a is left out: at most 5 files are attached"]


def test_of_many_that_are_left_out_only_the_first_are_named() -> None:
    _, remarks = restored(conversation(*(f"f{number}" for number in range(2000))))
    assert remarks == ["f1994, f1993, f1992 and 1,992 more files are left out: at most 5 files are attached"]


def test_files_that_the_kept_messages_show_are_left_out() -> None:
    parts, remarks = restored(conversation("a", "b"), conversation("b"))
    assert [part.name for part in parts] == ["file:a"]
    assert remarks == ["b is left out: already in the kept messages"]


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
    assert remarks == ["f is left out: nothing is known of the text"]


def test_a_long_file_is_cut_at_the_end_of_a_line_and_says_so() -> None:
    text = "".join(f"line {number}\n" for number in range(4_000))
    parts, remarks = restored(conversation("a"), files={"a": text})
    text_shown = shown(parts[0]).partition("[cut after")[0]
    assert len(text_shown) <= 20_000
    number, _, line = text_shown.splitlines()[-1].partition("\t")
    assert line == f"line {int(number) - 1}"
    assert remarks[0].startswith("a is cut from ")


def test_by_the_rules_of_the_client_a_long_file_is_named() -> None:
    text = "".join(f"line {number}\n" for number in range(4_000))
    parts, remarks = restored(conversation("a"), files={"a": text}, rules=rules_of(Rules.V2_1_325))
    assert "Note: a was read before the last conversation was summarized" in parts[0].texts[0]
    assert (len(parts[0].texts), remarks) == (1, [])


def test_a_file_that_was_edited_after_the_kept_messages_read_it_is_attached() -> None:
    kept = conversation("a")
    talk = Talk()
    talk.result(talk.calls("Edit", {"file_path": "a", "old_string": "x", "new_string": "y"}, id="edit"))
    messages = [*kept, *talk.messages]
    parts = restore_files(
        messages,
        slice(len(kept), len(messages)),
        Surroundings(),
        FileConfig(),
        lambda path: FileText.whole("y"),
        ARTICLES,
    )
    assert [part.name for part in parts] == ["file:a"]


def test_a_part_says_which_lines_it_is() -> None:
    part = FileText((FilePart(11, ("eleven", "twelve")),), 40)
    (restored_part,) = restore_files(
        conversation("a"), slice(0, 2), Surroundings(), FileConfig(), lambda path: part, ARTICLES
    )
    assert '{"file_path":"a","offset":11,"limit":2}' in restored_part.texts[0]
    assert shown(restored_part) == "11\televen\n12\ttwelve"
    assert restored_part.remarks == ("of a, only lines 11 to 12 of 40 are known",)


def test_a_file_whose_text_cannot_be_known_is_left_out_and_says_why() -> None:
    (part,) = restore_files(
        conversation("a"),
        slice(0, 2),
        Surroundings(),
        FileConfig(),
        lambda path: FileText(unknown="a command may have changed it"),
        ARTICLES,
    )
    assert (part.texts, part.remarks) == ((), ("a is left out: a command may have changed it",))


def test_all_files_together_have_a_budget() -> None:
    config = FileConfig(tokens_each=100, tokens_in_all=150)
    parts, remarks = restored(conversation("a", "b", "c"), config=config, files=dict.fromkeys("abc", "x" * 398))
    assert [len(shown(part)) > 390 for part in parts] == [True, False]
    assert remarks == ["b is cut from ~100 to ~50 tokens", "a is left out: files may have 150 tokens in all"]
