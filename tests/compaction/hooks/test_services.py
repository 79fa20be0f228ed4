from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from compaction.hooks.selectors import Hook, Origin
from compaction.hooks.services import MOST_TEXT, HookBlockedError, RunningHooks, run_hook
from compaction.mechanisms.engine import Trigger
from inspector.agents.cancel import CancelToken
from inspector.agents.errors import CancelledError
from sessions.models import Source, Transcript
from tests.serving import wait_until


def hook(command: str, event: str = "PreCompact", seconds: float = 20.0) -> Hook:
    return Hook(event, "", command, seconds, Origin.USER, "/home/dev/.claude/settings.json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    return made


def running(folder: Path, *hooks: Hook) -> RunningHooks:
    source = Source(path="/home/dev/.claude/projects/-home/one.jsonl")
    return RunningHooks(hooks, Transcript(session_id="one", cwd=str(folder), source=source))


def test_a_hook_reads_what_the_client_would_tell_it(folder: Path) -> None:
    keep = 'cat > "$CLAUDE_PROJECT_DIR/$(pwd | wc -l).json"'
    hooks = running(
        folder, hook(keep), hook("cat > started.json", "SessionStart"), hook("cat > after.json", "PostCompact")
    )
    hooks.pre_compact(Trigger.MANUAL, "Keep names")
    hooks.session_start()
    hooks.post_compact(Trigger.MANUAL, "All is done.")
    base = {"session_id": "one", "transcript_path": "/home/dev/.claude/projects/-home/one.jsonl", "cwd": str(folder)}
    read = {name: json.loads((folder / f"{name}.json").read_text()) for name in ("1", "started", "after")}
    assert read["1"] == base | {
        "hook_event_name": "PreCompact",
        "trigger": "manual",
        "custom_instructions": "Keep names",
    }
    assert read["started"] == base | {"hook_event_name": "SessionStart", "source": "compact"}
    assert read["after"] == base | {
        "hook_event_name": "PostCompact",
        "trigger": "manual",
        "compact_summary": "All is done.",
    }


def test_what_it_prints_before_a_compaction_joins_the_instructions(folder: Path) -> None:
    context = json.dumps({"hookSpecificOutput": {"hookEventName": "PreCompact", "additionalContext": "Keep tides."}})
    hooks = running(folder, hook("echo Keep names."), hook(f"echo '{context}'"), hook("echo lost; exit 1"))
    assert hooks.pre_compact(Trigger.AUTO, "") == "Keep names.\n\nKeep tides."
    assert [run.exit for run in hooks.runs] == [0, 0, 1]


@pytest.mark.parametrize(
    "command",
    [
        "echo Not now >&2; exit 2",
        """echo '{"decision": "block", "reason": "Not now"}'""",
        """echo '{"continue": false, "stopReason": "Not now"}'""",
    ],
)
def test_it_can_stop_a_compaction(folder: Path, command: str) -> None:
    hooks = running(folder, hook(command), hook("touch later"))
    with pytest.raises(HookBlockedError, match="A PreCompact hook has stopped it: Not now"):
        hooks.pre_compact(Trigger.MANUAL, "")
    assert not (folder / "later").exists()
    assert len(hooks.report) == 1


def test_what_it_prints_when_the_session_starts_anew_is_told_to_the_model(folder: Path) -> None:
    hooks = running(
        folder,
        hook("echo no force push", "SessionStart"),
        hook("true", "SessionStart"),
        hook("echo x; false", "SessionStart"),
    )
    reminder = "<system-reminder>\nSessionStart:compact hook success: no force push\n</system-reminder>"
    assert hooks.session_start() == [reminder]
    assert hooks.post_compact(Trigger.MANUAL, "") == ()


def test_one_that_does_not_end_is_ended_with_all_that_it_started(folder: Path) -> None:
    ran = run_hook(hook("sleep 60 & echo $! > child; wait", seconds=0.3), {}, str(folder), CancelToken())
    assert (ran.exit, ran.note) == (None, "its time was up")
    assert gone(folder / "child")


def test_one_that_writes_without_end_is_ended(folder: Path) -> None:
    ran = run_hook(hook("yes"), {}, str(folder), CancelToken())
    assert ran.note.startswith("it wrote more than")
    assert len(ran.output) == MOST_TEXT + 1


def test_a_kill_ends_it_at_once_with_all_that_it_started(folder: Path) -> None:
    cancel = CancelToken()
    threading.Timer(0.3, cancel.cancel).start()
    with pytest.raises(CancelledError):
        run_hook(hook("sleep 60 & echo $! > child; wait"), {}, str(folder), cancel)
    assert gone(folder / "child")


def test_where_the_folder_of_the_session_is_gone_it_runs_at_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    assert run_hook(hook("pwd"), {}, "/no/such/place", CancelToken()).output.strip() == str(folder)


def test_it_does_not_get_what_is_lucids_own(folder: Path) -> None:
    output = run_hook(hook("env"), {}, str(folder), CancelToken()).output
    assert "PATH=" in output
    assert "LUCID_HOME" not in output
    assert "DJANGO_SETTINGS_MODULE" not in output


def gone(file: Path) -> bool:
    number = int(file.read_text())

    def ended() -> bool:
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return True
        return "Z" in Path(f"/proc/{number}/stat").read_text().split(") ")[-1][:1]

    wait_until(ended)
    return True
