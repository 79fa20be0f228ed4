from __future__ import annotations

from typing import Any

from sessions.timeline.engine.cards import Card, Changes, Links, Output, Pairs, Prose, Questions, Todos
from sessions.timeline.engine.cards.card import Fold
from tests.sessions.timeline.engine.cards.window import call, part, result, single_card


def made(name: str, given: Any, content: Any = "ok", twin: Any = None, *, error: bool = False) -> Card:
    return single_card(call(name, given), result(content, twin, error=error))


def test_a_long_command_is_shown_apart_from_its_description() -> None:
    card = made("Bash", {"command": "cat <<EOF\nx\nEOF", "description": "Write it"})
    assert card.summary == "Write it"
    assert [(out.text, out.tone) for out in card.parts if isinstance(out, Output)] == [
        ("cat <<EOF\nx\nEOF", "code"),
        ("ok", ""),
    ]


def test_the_state_of_a_command_is_told() -> None:
    twin = {"stdout": "", "interrupted": True, "backgroundTaskId": "b1", "returnCodeInterpretation": "No matches found"}
    assert made("Bash", {"command": "grep x"}, "", twin).facts == (
        "in background b1",
        "interrupted",
        "No matches found",
    )
    assert made("Bash", {"command": "true"}, "").facts == ("no output",)


def test_a_read_names_its_lines() -> None:
    file = {"filePath": "/a.py", "startLine": 10, "numLines": 51, "totalLines": 300}
    card = made("Read", {"file_path": "/a.py", "offset": 10}, "x", {"type": "text", "file": file})
    assert (card.summary, card.facts, card.folded) == ("/a.py", ("lines 10–60 of 300",), True)
    assert made("Read", {"file_path": "/a.py", "offset": 5, "limit": 10}).facts == ("lines 5–14",)
    assert made("Read", {"file_path": "/a.py"}).facts == ()


def test_an_edit_is_a_diff_of_the_recorded_patch() -> None:
    patch = [{"oldStart": 4, "newStart": 4, "lines": [" a", "-old word", "+new word"]}]
    card = made("Edit", {"file_path": "/a.py", "old_string": "?", "new_string": "!"}, "ok", {"structuredPatch": patch})
    diff = part(card, Changes).diff
    assert [(line.kind, line.text) for line in diff.hunks[0].lines] == [
        (" ", "a"),
        ("-", "old word"),
        ("+", "new word"),
    ]
    assert diff.hunks[0].lines[2].segments == (("new", True), (" word", False))
    assert card.facts == ("+1 −1",)


def test_an_edit_without_a_patch_is_worked_out_from_its_input() -> None:
    card = made("Edit", {"file_path": "/a.py", "old_string": "a\nb", "new_string": "a\nc", "replace_all": True})
    assert [(line.kind, line.text) for line in part(card, Changes).diff.hunks[0].lines] == [
        (" ", "a"),
        ("-", "b"),
        ("+", "c"),
    ]
    assert "every occurrence" in card.facts


def test_a_failed_edit_shows_what_it_meant_to_do_and_why_not() -> None:
    card = made("Edit", {"file_path": "/a", "old_string": "x", "new_string": "y"}, "not found", error=True)
    assert part(card, Changes).diff.added == 1
    assert part(card, Output).tone == "bad"


def test_a_new_file_is_all_added() -> None:
    card = made("Write", {"file_path": "/n", "content": "1\n2"}, "ok", {"type": "create", "structuredPatch": []})
    assert card.facts == ("new file", "+2")


def test_many_edits_of_one_file_are_counted() -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": ""}]
    assert made("MultiEdit", {"file_path": "/m", "edits": edits}).facts == ("+1 −2", "2 edits")


def test_a_notebook_cell_is_a_diff_too() -> None:
    card = made("NotebookEdit", {"notebook_path": "/n.ipynb", "new_source": "print(1)", "edit_mode": "insert"})
    assert (card.summary, card.facts) == ("/n.ipynb", ("+1", "insert"))


def test_searches_count_what_they_found() -> None:
    grep = made("Grep", {"pattern": "def x", "path": "src", "glob": "*.py"}, "…", {"numFiles": 1, "numLines": 3})
    assert (grep.summary, grep.facts) == ("def x in src, *.py", ("3 lines", "1 file"))
    assert made("Glob", {"pattern": "**/*.md"}, "…", {"numFiles": 2, "truncated": True}).facts == (
        "2 files",
        "truncated",
    )


def test_todos_are_a_list_with_their_state() -> None:
    todos = [
        {"content": "a", "status": "completed"},
        {"content": "b", "status": "in_progress", "activeForm": "Doing b"},
    ]
    card = made("TodoWrite", {"todos": todos})
    assert (card.summary, card.facts) == ("Doing b", ("1 of 2 done",))
    assert [(todo.mark, todo.text) for todo in part(card, Todos).items] == [("☑", "a"), ("◐", "b")]


def test_tasks_tell_their_step() -> None:
    twin = {
        "success": True,
        "taskId": "3",
        "updatedFields": ["status"],
        "statusChange": {"from": "pending", "to": "done"},
    }
    assert made("TaskUpdate", {"taskId": "3", "status": "done"}, "ok", twin).summary == "task 3 pending → done"
    assert made("TaskCreate", {"subject": "Write it", "description": "…"}, "ok", {"task": {"id": "7"}}).facts == (
        "task 7",
    )


def test_an_agent_links_to_its_transcript() -> None:
    twin = {"status": "completed", "agentId": "a17", "totalDurationMs": 33_000, "totalTokens": 19_800, "content": []}
    given = {"description": "Look", "subagent_type": "Explore", "prompt": "find"}
    card = made("Agent", given, [{"type": "text", "text": "It is **here**"}], twin)
    assert (card.summary, card.agent_id) == ("Look", "a17")
    assert card.facts == ("Explore", "completed", "33s", "19.8k tokens")
    assert part(card, Prose).html == "<p>It is <strong>here</strong></p>\n"
    assert part(card, Fold).title == "Prompt"


def test_an_agent_is_found_by_the_tail_of_its_answer() -> None:
    tail = "Done.\nagentId: abc123 (use SendMessage to continue)\n<usage>total_tokens: 5</usage>"
    card = made("Task", {"description": "x"}, tail)
    assert card.agent_id == "abc123"
    assert part(card, Prose).html == "<p>Done.</p>"


def test_web_tools_show_where_and_what() -> None:
    fetched = made(
        "WebFetch", {"url": "https://e.com", "prompt": "sum up"}, "…", {"code": 200, "bytes": 2048, "result": "x"}
    )
    assert fetched.facts == ("200", "2.0 KB", "sum up")
    hits = [{"content": [{"title": "T", "url": "https://e.com"}]}, "So it is."]
    made_comparison = made("WebSearch", {"query": "q"}, "…", {"query": "q", "results": hits, "durationSeconds": 2})
    assert made_comparison.facts == ("1 result", "2.0s")
    assert part(made_comparison, Links).items[0].url == "https://e.com"


def test_questions_show_their_options_and_answers() -> None:
    parameters = {"questions": [{"question": "Which?", "header": "H", "options": [{"label": "A"}, {"label": "B"}]}]}
    (question,) = part(made("AskUserQuestion", parameters, "…", {"answers": {"Which?": "B"}}), Questions).items
    assert (question.text, question.options, question.answer) == ("Which?", ("A", "B"), "B")


def test_a_plan_is_markdown_and_its_fate_is_told() -> None:
    assert made("ExitPlanMode", {"plan": "# Plan"}).facts == ("approved",)
    card = made("ExitPlanMode", {"plan": "# Plan"}, "no", error=True)
    assert card.facts == ("not approved",)
    assert part(card, Prose).html == "<h3>Plan</h3>\n"


def test_a_tool_search_names_the_tools() -> None:
    referenced = [{"type": "tool_reference", "tool_name": "TaskCreate"}]
    assert made("ToolSearch", {"query": "task"}, referenced).facts == ("1 tool", "TaskCreate")


def test_an_mcp_tool_shows_server_tool_and_input() -> None:
    card = made("mcp__meters__read_meter", {"meter": 7, "unit": {"name": "kWh"}}, "42")
    assert (card.title, card.facts) == ("meters · read_meter", ("MCP",))
    assert part(card, Pairs).items == (("meter", "7"), ("unit", '{\n  name: "kWh"\n}'))


def test_any_other_tool_shows_its_input_by_name() -> None:
    card = made("Teleport", {"name": "home", "speed": 3}, "there")
    assert (card.summary, part(card, Pairs).items, part(card, Output).text) == ("home", (("speed", "3"),), "there")


def test_watching_a_shell_tells_its_state() -> None:
    twin = {"shellId": "b1", "command": "make", "status": "completed", "exitCode": 1, "stdout": "out"}
    card = made("BashOutput", {"bash_id": "b1"}, "…", twin)
    assert (card.summary, card.facts, part(card, Output).text) == ("b1 make", ("completed", "exit 1"), "out")
