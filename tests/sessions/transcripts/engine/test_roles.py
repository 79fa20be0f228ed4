from __future__ import annotations

from pathlib import PurePath, PureWindowsPath

import pytest

from sessions.transcripts.engine.roles import FileKind, FileRole, classify

SESSION = "0a1b2c3d-0000-4000-8000-000000000001"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (f"{SESSION}.jsonl", FileRole(FileKind.MAIN, SESSION)),
        ("agent-1a2b3c4d.jsonl", FileRole(FileKind.AGENT, "", "1a2b3c4d")),
        (f"{SESSION}/subagents/agent-a12.jsonl", FileRole(FileKind.AGENT, SESSION, "a12")),
        (f"{SESSION}/subagents/agent-acompact-ff.jsonl", FileRole(FileKind.COMPACTION, SESSION, "acompact-ff")),
        (f"{SESSION}/subagents/journal.jsonl", FileRole(FileKind.JOURNAL, SESSION)),
        (f"{SESSION}/subagents/workflows/wf_1/journal.jsonl", FileRole(FileKind.JOURNAL, SESSION, "", "wf_1")),
        (f"{SESSION}/subagents/workflows/wf_1/agent-a1.jsonl", FileRole(FileKind.AGENT, SESSION, "a1", "wf_1")),
        (f"{SESSION}/tool-results/b12.txt", FileRole(FileKind.RESULT, SESSION)),
        (f"{SESSION}/tool-results/mcp-server-tool-1.json", FileRole(FileKind.RESULT, SESSION)),
        (f"test/fixtures/transcripts/{SESSION}.jsonl", FileRole(FileKind.MAIN, SESSION)),
        (f"test/fixtures/{SESSION}/subagents/agent-a1.jsonl", FileRole(FileKind.AGENT, SESSION, "a1")),
        ("subagents/agent-a1.jsonl", FileRole(FileKind.AGENT, "", "a1")),
        ("journal.jsonl", FileRole(FileKind.MAIN, "journal")),
        ("edge_cases.jsonl", FileRole(FileKind.MAIN, "edge_cases")),
    ],
)
def test_a_file_is_known_by_its_place(path: str, expected: FileRole) -> None:
    assert classify(PurePath(path)) == expected
    assert classify(PurePath("home/someone/.claude/projects/-work") / path).kind == expected.kind


def test_windows_paths_are_read_too() -> None:
    role = classify(PureWindowsPath(rf"C:\Users\x\{SESSION}\subagents\agent-a1.jsonl"))

    assert role == FileRole(FileKind.AGENT, SESSION, "a1")
