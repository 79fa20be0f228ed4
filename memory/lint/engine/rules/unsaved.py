"""What should not be saved as memory: code, git history and task states are better kept elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory.files.engine.reading.body import MOST_CHARACTERS
from memory.files.engine.reading.directory import MemoryDirectory
from memory.files.engine.reading.file import MemoryFile
from memory.lint.engine.finding import Finding, Severity
from memory.lint.engine.line_text import without_code
from memory.lint.engine.surroundings import Surroundings
from sessions.text.engine.excerpt import excerpt

CODE_LINES = 12
CODE_SHARE = 0.6
COMMITS = 3
TASKS = 2
_COMMIT = re.compile(
    r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b|(?i:\b(?:merged|closed|opened|pull request|PR)\s+#\d+)"
)
_HASH = re.compile(r"[0-9a-f]{7}|#\d")
_DIGIT = re.compile(r"\d")
_ABOUT_COMMITS = re.compile(r"(?i)\b(commit\w*|merged?|pushed|cherry|rebase\w*|revert\w*|PR|pull request)\b")
_BOX = re.compile(r"(?m)^[ \t]*[-*+] \[[ xX]\] ")
_STATE = re.compile(
    r"(?im)^[ \t]*#+[ \t]*(?:current (?:state|status)|session (?:summary|state|progress))\b"
    r"|^[#* \t>-]*(?:current task|(?:work )?in progress|wip|next (?:steps?|actions?)|to ?do(?: list)?"
    r"|(?:open|pending|remaining) (?:tasks|items|work)|final (?:state|status)"
    r"|(?:completed|done|finished|accomplished|remaining|open) \(?(?:in |during |at the end of )?this session\)?"
    r"|(?:work (?:of|in) )?(?:this|the last) session)(?<=[\w)])[ \t\r*]*(?::|$|\()"
)
_DOINGS = ("working on", "in the middle of", "debugging")
_DOING = re.compile(
    r"(?i)\b(?:i am|i'm|we are|we're|currently) (?:currently )?(?:working on|in the middle of|debugging)\b"
)


def check(directory: MemoryDirectory, surroundings: Surroundings) -> Iterator[Finding]:
    for topic in directory.topics:
        body = topic.body[:MOST_CHARACTERS]
        if "```" in body or "~~~" in body:
            yield from _check_code(topic)
        if _DIGIT.search(body) and _HASH.search(body):
            yield from _check_history(topic)
        lower = body.lower()
        if _BOX.search(body) or _STATE.search(body) or any(words in lower for words in _DOINGS):
            yield from _check_state(topic)


def _check_code(topic: MemoryFile) -> Iterator[Finding]:
    lines = [line for line in topic.body_lines if line.text.strip()]
    code = [line for line in lines if line.in_code]
    if len(code) >= CODE_LINES and len(code) >= CODE_SHARE * len(lines):
        words = f"{len(code)} of {len(lines)} lines are code; the project's files tell it better, and stay true."
        yield Finding("code-pattern", topic.name, Severity.WARNING, words, code[0].number)


def _check_history(topic: MemoryFile) -> Iterator[Finding]:
    commits = [line for line in topic.body_lines if not line.in_code and _COMMIT.search(line.text)]
    if len(commits) >= COMMITS and any(_ABOUT_COMMITS.search(line.text) for line in commits):
        words = f"{len(commits)} lines list commits or pull requests; `git log` tells it better."
        yield Finding("git-history", topic.name, Severity.WARNING, words, commits[0].number)


def _check_state(topic: MemoryFile) -> Iterator[Finding]:
    boxes = [line for line in topic.body_lines if not line.in_code and _BOX.match(line.text)]
    state = [line for line in topic.body_lines if not line.in_code and _is_state(line.text)]
    if len(boxes) >= TASKS:
        words = f"{len(boxes)} lines are tasks with boxes; a task's state is over with its session."
        yield Finding("task-state", topic.name, Severity.WARNING, words, boxes[0].number)
    elif state:
        quote = excerpt(state[0].text.replace("*", "").strip(" #>:-"))
        words = f"“{quote}” is the state of a task, which is over with its session."
        yield Finding("task-state", topic.name, Severity.WARNING, words, state[0].number)


def _is_state(text: str) -> bool:
    return bool(_STATE.match(text) or _DOING.search(without_code(text)))
