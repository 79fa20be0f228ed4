"""The words in which each version of the client tells the model something."""

from __future__ import annotations

import pytest

from sessions.transcripts.engine.messages import MessageKind
from tests.sessions.context.engine.context_helpers import attach, call, following, last, texts
from tests.sessions.context.engine.version_rows import TAKES_NONE, TAKES_SYSTEM, note
from tests.sessions.writing import Writing


def test_attachments_of_which_only_the_facts_were_kept_are_told_in_the_words_of_the_version() -> None:
    version = "2.1.197"
    writing = Writing()
    writing.user("Look", version=version)
    note(writing, version, "skill_listing", content="- tide: tells the tide")
    note(writing, version, "mcp_instructions_delta", addedBlocks=["## t\nWith care."], removedNames=[])
    writing.assistant("Done.", message="m1", version=version, model=TAKES_SYSTEM)
    context = last(writing)
    role, (words,) = texts(context)[-1]
    assert role == "system"
    assert words.startswith(
        "The following skills are available for use with the Skill tool:\n\n- tide: tells the tide\n\n#"
    )
    assert words.endswith("resources:\n\n## t\nWith care.")
    assert all(piece.exact for element in context.elements for piece in element.pieces)


def test_a_wording_that_no_recording_shows_is_called_inexact() -> None:
    version = "2.1.197"
    writing = Writing()
    writing.user("Look", version=version)
    note(writing, version, "plan_mode", reminderType="full", planFilePath="/p.md")
    writing.assistant("Done.", message="m1", version=version, model=TAKES_SYSTEM)
    context = last(writing)
    assert context.elements[-1].role == "system"
    assert any("wording of 1 attachment" in sentence for sentence in context.unknown)


@pytest.mark.parametrize(
    ("version", "kind", "exact"),
    [
        ("2.1.197", "nested_memory", True),
        ("2.1.160", "nested_memory", False),
        ("2.1.197", "compact_file_reference", True),
        ("2.1.197", "plan_mode", False),
    ],
)
def test_only_words_that_the_version_was_seen_to_send_are_called_exact(version: str, kind: str, exact: bool) -> None:
    writing = Writing()
    writing.user("Look", version=version)
    note(writing, version, kind, path="/a.md", filename="/a.md", content={"content": "A rule."})
    writing.assistant("Done.", message="m1", version=version, model=TAKES_SYSTEM)
    assert last(writing).elements[-1].pieces[0].exact is exact


def test_a_hook_that_objects_is_quoted_with_its_command() -> None:
    version = "2.1.197"
    writing = Writing()
    writing.user("Look", version=version)
    writing.assistant(call("t1"), message="m1", version=version, model=TAKES_SYSTEM)
    writing.result("t1", "one")
    error = {"blockingError": "[lint]: failed", "command": "lint"}
    watched = {"hookName": "PostToolUse:Edit", "hookEvent": "PostToolUse"}
    note(writing, version, "hook_blocking_error", blockingError=error, **watched)
    writing.assistant("Done.", message="m2", version=version, model=TAKES_SYSTEM)
    words = 'PostToolUse:Edit hook blocking error from command: "lint": [lint]: failed'
    assert texts(last(writing))[-1][1][1] == f"<system-reminder>\n{words}\n</system-reminder>"


@pytest.mark.parametrize("version", ["2.1.197", "2.1.325"])
def test_the_report_of_a_task_in_the_background_is_introduced_by_newer_versions(version: str) -> None:
    writing = Writing()
    report = "<task-notification>done</task-notification>"
    writing.user(report, version=version)
    writing.assistant("Seen.", version=version)
    words = texts(last(writing))[0][1][0]
    assert (words == report) is (version == "2.1.197")
    assert words.startswith("<system-reminder>\n[SYSTEM NOTIFICATION") is (version == "2.1.325")
    assert report in words


def test_what_a_person_typed_meanwhile_is_the_users_where_the_words_are_recorded() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant(call("t1"), message="m1", model=TAKES_SYSTEM)
    writing.result("t1", "one")
    human = {"type": "queued_command", "commandMode": "prompt", "origin": {"kind": "human"}}
    rendered = [{"content": "<system-reminder>\nand this\n</system-reminder>"}]
    writing.row("attachment", attachment=human, rendered=rendered, renderedRole="system")
    attach(writing, "total_tokens_reminder", "5 left", role="system")
    writing.assistant("Done.", message="m2", model=TAKES_SYSTEM)
    assert texts(last(writing))[-2:] == [("user", ["result t1: one", "and this"]), ("system", ["5 left"])]
    writing.assistant("Done.", message="m3", model=TAKES_NONE)
    assert "<system-reminder>\nand this\n</system-reminder>" in texts(last(writing))[2][1][0]


def test_what_a_program_sent_meanwhile_goes_with_the_messages_of_the_role_system() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant(call("t1"), message="m1", model=TAKES_SYSTEM)
    writing.result("t1", "one")
    given = {"type": "queued_command", "commandMode": "prompt", "prompt": [{"type": "text", "text": "and this"}]}
    rendered = [{"content": [{"type": "text", "text": "<system-reminder>\nand this\n</system-reminder>"}]}]
    writing.row("attachment", attachment=given, rendered=rendered, renderedRole="system")
    writing.assistant("Done.", message="m2", model=TAKES_SYSTEM)
    context = last(writing)
    assert texts(context)[-2:] == [("user", ["result t1: one"]), ("system", ["and this"])]
    assert context.elements[-1].pieces[0].message.kind is MessageKind.PROMPT


def test_tasks_and_skills_are_listed_as_the_client_did() -> None:
    version = "2.1.197"
    writing = Writing()
    writing.user("Look", version=version)
    tasks = [{"id": "1", "subject": "Moor", "status": "pending"}, {"id": "2", "subject": "Sail", "status": "completed"}]
    note(writing, version, "task_reminder", content=tasks, itemCount=2)
    skills = [
        {"name": "knot", "path": "p:knot", "content": "Tie it."},
        {"name": "hail", "path": "p:hail", "content": "Hoy."},
    ]
    note(writing, version, "invoked_skills", skills=skills)
    writing.assistant("Seen.", version=version, model=TAKES_SYSTEM)
    (words,) = texts(last(writing))[1][1]
    assert (
        "applicable.\n\n\nHere are the existing tasks:\n\n#1. [pending] Moor\n#2. [completed] Sail\n\nThe following"
        in words
    )
    assert words.endswith(
        "\n\n### Skill: knot\nPath: p:knot\n\nTie it.\n\n---\n\n### Skill: hail\nPath: p:hail\n\nHoy."
    )


def test_the_report_of_a_task_that_ends_meanwhile_is_introduced() -> None:
    version, report = "2.1.197", "<task-notification>done</task-notification>"
    writing = Writing()
    writing.user("Look", version=version)
    note(writing, version, "already_read_file", filename="/a.md", content={"type": "text"})
    note(writing, version, "queued_command", prompt=report, commandMode="task-notification")
    writing.assistant("Seen.", version=version, model=TAKES_SYSTEM)
    (words,) = texts(last(writing))[1][1]
    assert words.startswith("[SYSTEM NOTIFICATION - NOT USER INPUT]\n")
    assert words.endswith(f"pending question.\n\n{report}")


@pytest.mark.parametrize(("version", "is_announced"), [("2.1.20", False), ("2.1.90", True), ("2.1.325", True)])
def test_that_a_tool_was_loaded_is_said_by_newer_versions(version: str, is_announced: bool) -> None:
    writing = Writing()
    writing.user("Look", version=version)
    writing.assistant(call("t1", "ToolSearch"), message="m1", version=version)
    brought = [{"type": "tool_reference", "tool_name": "tide"}]
    block = {"type": "tool_result", "tool_use_id": "t1", "content": brought}
    writing.row("user", message={"role": "user", "content": [block]}, version=version)
    writing.assistant("Done.", message="m2", version=version)
    assert ("Tool loaded." in texts(last(writing))[-1][1]) is is_announced


def test_directories_and_changed_files_are_worded_as_the_client_did() -> None:
    version = "2.1.197"
    writing = Writing()
    writing.user("See @sub", version=version)
    note(writing, version, "directory", path="/w/sub", content="a.py")
    note(writing, version, "edited_text_file", filename="/w/b.py", snippet="3\tx")
    part = {"type": "text", "file": {"content": "two\nthree", "startLine": 2, "numLines": 2, "totalLines": 9}}
    note(writing, version, "file", filename="/w/c.py", content=part)
    writing.assistant("Seen.", version=version, model=TAKES_SYSTEM)
    context = last(writing)
    words = texts(context)[-1][1][0]
    listed = '{"command":"ls /w/sub","description":"Lists files in /w/sub"}\nResult of calling the Bash tool:\na.py'
    assert f"Called the Bash tool with the following input: {listed}" in words
    assert "Note: /w/b.py was modified, either by the user or by a linter." in words
    assert words.endswith("Result of calling the Read tool:\n2\ttwo\n3\tthree")
    assert context.elements[-1].pieces[0].exact


@pytest.mark.parametrize(("version", "role"), [("2.1.150", "user"), ("2.1.197", "system"), ("2.1.325", "user")])
def test_a_note_of_an_export_is_sent_as_its_version_sends_notes(version: str, role: str) -> None:
    """Only versions that write down what they sent read it again from there."""
    writing = Writing()
    writing.user("Look", version=version)
    writing.assistant("Done.", message="m1", version=version, model=TAKES_SYSTEM)
    writing.row(
        "attachment",
        attachment={"type": "critical_system_reminder", "content": "A file."},
        rendered=[{"content": "A file."}],
        renderedRole="user",
        version=version,
    )
    context = following(writing)
    sent, words = texts(context)[-1]
    assert sent == role
    assert words == (["<system-reminder>\nA file.\n</system-reminder>"] if version == "2.1.150" else ["A file."])
