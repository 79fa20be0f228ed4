"""The tools of the demo's agent, described in our own words."""

from __future__ import annotations

from typing import Any

Tool = dict[str, Any]

TEXT: Tool = {"type": "string"}
NUMBER: Tool = {"type": "integer"}
FLAG: Tool = {"type": "boolean"}


def _tool(name: str, about: str, needed: str, **given: tuple[Tool, str]) -> Tool:
    """`needed`: the names of the arguments that must be given."""
    properties = {key: {**kind, "description": words} for key, (kind, words) in given.items()}
    schema = {"type": "object", "properties": properties, "required": needed.split(), "additionalProperties": False}
    return {"name": name, "description": about, "input_schema": schema}


_ALL = (
    _tool(
        "Agent",
        "Start a sub-agent for a piece of work of its own: a broad search, a review, a change that stands alone. It "
        "begins with nothing but the prompt that you give it, so write down what it must know and what its report must "
        "contain. It runs beside you if you start it in the background; you are notified when it ends. Do not start "
        "one for a single file or a single search.",
        "description prompt",
        description=(TEXT, "The task in three to five words."),
        prompt=(TEXT, "Everything that the agent needs to know."),
        subagent_type=(TEXT, "One of the listed types; a general one if left out."),
        model=({**TEXT, "enum": ["sonnet", "opus", "haiku"]}, "Another model than that of the session."),
        run_in_background=(FLAG, "Go on while it works."),
    ),
    _tool(
        "AskUserQuestion",
        "Ask the user to choose between a few options, when the answer decides what you build and nothing in the "
        "project tells. At most four questions with two to four options each. The user can always answer in words of "
        "their own. Put what you recommend first.",
        "questions",
        questions=(
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "question": TEXT,
                        "header": TEXT,
                        "options": {
                            "type": "array",
                            "items": {"type": "object", "properties": {"label": TEXT, "description": TEXT}},
                        },
                        "multiSelect": FLAG,
                    },
                },
            },
            "The questions, each with its options.",
        ),
    ),
    _tool(
        "Bash",
        "Run a command in a shell that keeps its directory from call to call. Quote paths with blanks. Chain commands "
        "that depend on each other with &&, and make separate calls of those that do not. Do not use it to search, "
        "read or edit files; other tools do that better and show the user what they did. A command has two minutes "
        "unless you give it more, and at most ten. What runs longer goes into the background: you are notified when "
        "it ends, so do not wait for it with sleep. Commands must not ask for input.",
        "command",
        command=(TEXT, "The command."),
        description=(TEXT, "What it does, in five to ten words, for the user."),
        timeout=(NUMBER, "Milliseconds after which it is stopped."),
        run_in_background=(FLAG, "Return at once and notify at the end."),
    ),
    _tool(
        "Edit",
        "Replace a piece of text in a file that you have read before. The old text must stand in the file exactly "
        "once, with its indentation, or the edit fails; give more lines around it, or replace all occurrences if you "
        "mean all. Never include the line numbers that Read shows.",
        "file_path old_string new_string",
        file_path=(TEXT, "The absolute path."),
        old_string=(TEXT, "What stands there."),
        new_string=(TEXT, "What shall stand there instead."),
        replace_all=(FLAG, "Replace every occurrence; for renaming."),
    ),
    _tool(
        "Glob",
        "Find files by a pattern such as src/**/*.py, the latest change first. Use it when you know how a file is "
        "called and not where it is.",
        "pattern",
        pattern=(TEXT, "The pattern."),
        path=(TEXT, "The directory to look in; the working directory if left out."),
    ),
    _tool(
        "Grep",
        "Search the contents of files with a regular expression. Files that git ignores are left out. Show the "
        "matching lines, only the names of the files, or how often each matches. Narrow the search by a glob or a "
        "file type before you ask for content, and limit what comes back.",
        "pattern",
        pattern=(TEXT, "The regular expression."),
        path=(TEXT, "A file or directory; the working directory if left out."),
        glob=(TEXT, "Only files whose path matches, such as *.json."),
        output_mode=({**TEXT, "enum": ["content", "files_with_matches", "count"]}, "What to show."),
        head_limit=(NUMBER, "Show only so many lines."),
    ),
    _tool(
        "Read",
        "Read a file, with a number before each line. The path must be absolute. Large files are read in parts: give "
        "the first line and how many. Pictures are shown as pictures, notebooks as cells. A file that has not changed "
        "since you read it need not be read again. To list a directory, use Bash.",
        "file_path",
        file_path=(TEXT, "The absolute path."),
        offset=(NUMBER, "The line to begin with."),
        limit=(NUMBER, "How many lines."),
    ),
    _tool(
        "Skill",
        "Follow a skill: written instructions for one kind of work, which the user or the project provides. The "
        "listed skills are all there are. If a request fits a skill, call it before you do anything else.",
        "skill",
        skill=(TEXT, "The name."),
        args=(TEXT, "What the skill is to be used for."),
    ),
    _tool(
        "ToolSearch",
        "Load the definition of a deferred tool, so that it can be called. Give select: and its exact name, or words "
        "to search for. Until then only its name is known, and a call of it fails.",
        "query",
        query=(TEXT, "select:Name, or words."),
    ),
    _tool(
        "Write",
        "Write a file as a whole. An existing file must have been read before, and is replaced; prefer Edit for "
        "changes. Do not write documentation that nobody asked for.",
        "file_path content",
        file_path=(TEXT, "The absolute path."),
        content=(TEXT, "All of the file."),
    ),
    _tool(
        "MultiEdit",
        "Make several replacements in one file, one after the other. If one fails, none is made.",
        "file_path edits",
        file_path=(TEXT, "The absolute path."),
        edits=({"type": "array", "items": {"type": "object"}}, "Old and new text of each."),
    ),
    _tool(
        "Task",
        "Start a sub-agent for a piece of work of its own. It begins with nothing but the prompt that you give it, "
        "and its last message comes back as the result.",
        "description prompt subagent_type",
        description=(TEXT, "The task in three to five words."),
        prompt=(TEXT, "Everything that the agent needs to know."),
        subagent_type=(TEXT, "Which type of agent."),
    ),
    _tool(
        "TodoWrite",
        "Keep the list of what is to be done, with the state of each item. Give the whole list every time. Exactly "
        "one item is in progress.",
        "todos",
        todos=({"type": "array", "items": {"type": "object"}}, "The list."),
    ),
    _tool(
        "mcp__tides__lookup",
        "Predictions of the harbour office: the high and low waters of a station on a day, in UTC and metres.",
        "station day",
        station=(TEXT, "The station, such as port-hallow."),
        day=(TEXT, "The day, as 2026-10-25."),
    ),
)
_BY_NAME = {str(tool["name"]): tool for tool in _ALL}

SESSION = ("Agent", "AskUserQuestion", "Bash", "Edit", "Glob", "Grep", "Read", "Skill", "ToolSearch", "Write")
WORKER = ("Agent", "Bash", "Edit", "Glob", "Grep", "Read", "Write")
READER = ("Bash", "Glob", "Grep", "Read")
OLD = ("Bash", "Edit", "Glob", "Grep", "MultiEdit", "Read", "Task", "TodoWrite", "Write")


def tool(name: str) -> Tool:
    return _BY_NAME[name]
