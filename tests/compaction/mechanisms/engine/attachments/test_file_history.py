from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from compaction.mechanisms.engine.attachments import FileHistory, FileText
from sessions.transcripts.engine.messages import Message
from tests.sessions.transcripts.engine.spoken import Talk

STUB = "Wasted call — file unchanged since your last Read. Refer to that earlier tool_result instead."


class Session:
    """A conversation, and what its records hold beside the words."""

    def __init__(self) -> None:
        self.talk = Talk()
        self.records: dict[str, Mapping[str, Any]] = {}

    def call(self, tool: str, given: Mapping[str, Any], result: str = "done", **structured: Any) -> None:
        message = self.talk.result(self.talk.calls(tool, given), result)
        if structured:
            self.records[message.uuid] = {"toolUseResult": structured}

    def reads(self, path: str, result: str, **given: Any) -> None:
        self.call("Read", {"file_path": path, **given}, result)

    def edits(self, path: str, old: str, new: str, **structured: Any) -> None:
        self.call("Edit", {"file_path": path, "old_string": old, "new_string": new}, **structured)

    def attaches(self, kind: str, words: str, **attachment: Any) -> None:
        message = self.talk.injected(words, kind)
        self.records[message.uuid] = {"attachment": {"type": kind, **attachment}}

    def text(self, path: str = "a.py") -> FileText:
        def record(message: Message) -> Mapping[str, Any] | None:
            return self.records.get(message.uuid)

        text = FileHistory.of(self.talk.messages, record).read(path)
        assert text is not None
        return text


@pytest.fixture
def session() -> Session:
    return Session()


def test_a_file_that_was_read_is_known(session: Session) -> None:
    session.reads("a.py", "1\tone\n2\ttwo")
    assert session.text() == FileText.whole("one\ntwo")
    assert session.text().is_whole


def test_an_edit_after_it_was_read_is_in_the_text(session: Session) -> None:
    session.reads("a.py", "1\tone\n2\ttwo")
    session.edits("a.py", "two", "three\nfour")
    assert session.text() == FileText.whole("one\nthree\nfour")


def test_an_edit_whose_record_holds_the_file_makes_all_of_it_known(session: Session) -> None:
    session.reads("a.py", "2\ttwo", offset=2, limit=1)
    session.edits("a.py", "two", "three", originalFile="one\ntwo\n")
    assert session.text() == FileText.whole("one\nthree\n")


def test_a_patch_counts_where_the_text_of_the_call_is_not_in_the_file(session: Session) -> None:
    hunk = {"oldStart": 2, "oldLines": 1, "newStart": 2, "newLines": 2, "lines": ["-“two”", "+three", "+four"]}
    session.edits("a.py", '"two"', "three\nfour", originalFile="one\n“two”\nfive", structuredPatch=[hunk])
    assert session.text() == FileText.whole("one\nthree\nfour\nfive")


def test_several_edits_of_one_call_are_made_in_order(session: Session) -> None:
    session.reads("a.py", "1\tone\n2\tone")
    edits = [
        {"old_string": "one", "new_string": "two", "replace_all": True},
        {"old_string": "two", "new_string": "three"},
    ]
    session.call("MultiEdit", {"file_path": "a.py", "edits": edits})
    assert session.text() == FileText.whole("three\ntwo")


def test_what_was_written_is_known_without_being_read(session: Session) -> None:
    session.call("Write", {"file_path": "a.py", "content": "new\n"})
    assert session.text() == FileText.whole("new\n")


def test_an_edited_notebook_is_known_if_its_record_holds_it(session: Session) -> None:
    session.call("NotebookEdit", {"notebook_path": "a.ipynb", "new_source": "x"}, updated_file='{"cells": []}')
    assert session.text("a.ipynb") == FileText.whole('{"cells": []}')
    session.call("NotebookEdit", {"notebook_path": "a.ipynb", "new_source": "y"})
    assert session.text("a.ipynb").unknown == "a cell of the notebook was changed"


def test_the_note_that_nothing_has_changed_is_never_the_text(session: Session) -> None:
    session.reads("a.py", "1\tone")
    session.reads("a.py", STUB)
    assert session.text() == FileText.whole("one")
    session.reads("b.py", STUB)
    assert session.text("b.py").text == ""


def test_parts_are_put_together_and_say_their_lines(session: Session) -> None:
    session.reads("a.py", "1\tone\n2\ttwo", offset=1, limit=2)
    session.reads("a.py", "5\tfive", offset=5, limit=1)
    assert not session.text().is_whole
    assert session.text().describe_lines() == "lines 1 to 2 and 5 to 5 of an unknown number"
    session.reads("a.py", "3\tthree\n4\tfour", offset=3, limit=2)
    assert session.text().describe_lines() == "lines 1 to 5 of an unknown number"


def test_an_edit_of_a_part_moves_the_lines_after_it(session: Session) -> None:
    session.reads("a.py", "1\tone\n2\ttwo", offset=1, limit=2)
    session.reads("a.py", "9\tnine", offset=9, limit=1)
    session.edits("a.py", "two", "two\nand a half")
    assert session.text().text == "1\tone\n2\ttwo\n3\tand a half\n10\tnine"


def test_an_edit_of_lines_that_are_not_known_leaves_nothing_known(session: Session) -> None:
    session.reads("a.py", "1\tone", offset=1, limit=1)
    session.edits("a.py", "ninety", "hundred")
    assert (session.text().text, bool(session.text().unknown)) == ("", True)


@pytest.mark.parametrize("command", ["sed -i s/one/two/ a.py", "echo two > src/a.py", "git checkout main", "rm a.py"])
def test_a_command_that_may_have_changed_a_file_makes_it_unknown(session: Session, command: str) -> None:
    session.reads("src/a.py", "1\tone")
    session.call("Bash", {"command": command})
    assert command in session.text("src/a.py").unknown


@pytest.mark.parametrize("command", ["cat a.py", "python -m pytest 2>&1", "git diff", "rm b.py"])
def test_a_command_that_only_looks_leaves_the_text_known(session: Session, command: str) -> None:
    session.reads("src/a.py", "1\tone")
    session.call("Bash", {"command": command})
    assert session.text("src/a.py").is_whole


def test_of_a_file_that_was_changed_outside_only_the_lines_shown_are_known(session: Session) -> None:
    session.reads("a.py", "1\tone\n2\ttwo\n3\tthree")
    session.attaches("edited_text_file", "Note: a.py was modified", filename="a.py", snippet="2\ttwo!")
    assert session.text().describe_lines() == "lines 2 to 2 of an unknown number"


def test_what_a_client_attached_after_a_summary_counts_as_read(session: Session) -> None:
    file = {"filePath": "a.py", "content": "one\ntwo", "startLine": 1, "numLines": 2, "totalLines": 2}
    words = 'Called the Read tool with the following input: {"file_path":"a.py"}'
    session.attaches("file", words, filename="a.py", content={"type": "text", "file": file})
    session.edits("a.py", "two", "three")
    assert session.text() == FileText.whole("one\nthree")


def test_a_file_that_was_named_as_too_large_stays_so(session: Session) -> None:
    session.attaches("compact_file_reference", "Note: a.py was read before the last conversation was summarized, but")
    assert session.text().is_too_large
    session.reads("a.py", "1\tone")
    assert not session.text().is_too_large


def test_lines_are_numbered_as_the_client_numbered_them_with_what_it_said_after_them(session: Session) -> None:
    session.reads("a.py", "     1→one\n     2→two\n\n<system-reminder>\nbe careful\n</system-reminder>\n")
    assert session.text().text == "     1→one\n     2→two"
    assert session.text().form.ending == "\n\n<system-reminder>\nbe careful\n</system-reminder>\n"


def test_how_large_a_file_is_at_least_follows_from_the_lines_that_are_known(session: Session) -> None:
    lines = "\n".join(f"{number}\t{'x' * 98}" for number in range(10, 20))
    file = {"content": "\n".join(["x" * 98] * 10), "startLine": 10, "numLines": 10, "totalLines": 1000}
    session.call("Read", {"file_path": "a.py", "offset": 10, "limit": 10}, lines, type="text", file=file)
    assert 100_000 <= session.text().least_characters <= 105_000
