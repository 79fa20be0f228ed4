from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import override_settings
from pytest_django.plugin import DjangoDbBlocker

from compaction.kinds.engine import KindSpec
from compaction.kinds.engine.specs import KINDS
from compaction.kinds.engine.specs.auto import AUTO
from compaction.kinds.engine.specs.budget import BUDGET
from compaction.kinds.engine.specs.collapse import COLLAPSE
from compaction.kinds.engine.specs.full import FULL
from compaction.kinds.engine.specs.microcompact import MICROCOMPACT
from compaction.kinds.engine.specs.partial import PARTIAL_FROM, PARTIAL_UP_TO
from compaction.kinds.engine.specs.session_memory import SESSION_MEMORY
from compaction.kinds.engine.specs.snip import SNIP
from compaction.kinds.selectors import compactable_messages, compaction_get, compaction_load
from compaction.kinds.selectors.moment import find_moment
from compaction.mechanisms.engine import Direction, legal_pivots
from compaction.models import Compaction
from inspector.runs.models import Run
from sessions.context.engine import Log, context_at
from sessions.context.selectors.contexts import load_context, point_next
from sessions.imports.services.sync import sync
from sessions.models import Transcript
from sessions.transcripts.engine.messages import join_messages
from tests.demo import names
from tests.importing import imported

pytestmark = pytest.mark.django_db
SESSION = "7446aeed-5c8c-513e-a5af-e6bd525f2f4a"
DEMO = settings.DEMO_DIR
KEYS = {"run", "status", "kind", "before", "after", "summary", "kept", "dropped", "report", "records"}
SETTINGS = {
    BUDGET: ["per_result=300", "preview=100"],
    SESSION_MEMORY: ["keep_tokens=1000", "keep_text_messages=2"],
    AUTO: ["percent=1"],
    COLLAPSE: ["keep_tokens=500", "least_score=0"],
}


@pytest.fixture(scope="module", autouse=True)
def demo(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with imported(django_db_blocker, DEMO):
        yield


def run(command: str, *arguments: str) -> str:
    out = StringIO()
    call_command(command, *arguments, stdout=out)
    return out.getvalue()


def document(command: str, *arguments: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(run(command, *arguments, "--json"))
    return data


def transcript() -> Transcript:
    return Transcript.objects.get(public_id=SESSION)


def arguments(kind: KindSpec) -> list[str]:
    messages = compactable_messages(load_context(transcript(), point_next(transcript())))
    prompts = [message.uuid for message in messages if message.kind == "prompt"]
    more = {
        SNIP: ["--ids", prompts[0]],
        PARTIAL_FROM: ["--pivot", legal_pivots(messages, Direction.FROM)[3]],
        PARTIAL_UP_TO: ["--pivot", prompts[-1]],
    }
    options = [word for setting in SETTINGS.get(kind, []) for word in ("--set", setting)]
    return [SESSION, "--kind", kind.name, "--model", "mechanical", *more.get(kind, []), *options]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_kind_can_be_made_exported_and_read_back(kind: KindSpec, tmp_path: Path) -> None:
    before = Path(transcript().source.path).read_bytes()
    result = document("compact", *arguments(kind))
    assert result.keys() >= KEYS
    assert (result["status"], result["kind"]) == ("completed", kind.name)
    assert Run.objects.get(pk=result["run"]).status == Run.Status.COMPLETED
    assert result["report"]["applied"], result["report"]["why"]
    for of in ("whole_prompt", "messages_only"):
        assert result["after"][of]["tokens"] < result["before"][of]["tokens"]
    # The path at which a spilled text lies is part of what the model reads.
    home = Path(transcript().source.path).parent if kind is BUDGET else tmp_path
    target = tmp_path / home.name
    written = document("export", str(result["run"]), "--to", str(target))
    path = Path(written["path"])
    assert path == target / f"{written['session_id']}.jsonl"
    loaded = compaction_load(compaction_get(result["run"]))
    second = json.dumps(join_messages(context_at(Log(path.read_bytes())).messages))
    assert second.replace(str(target), str(home)) == json.dumps(join_messages(loaded.after))
    assert Path(transcript().source.path).read_bytes() == before
    report = sync([path], workers=1)
    assert (report.bad_lines, report.unknown_types) == (0, {})
    new = Transcript.objects.get(session_id=written["session_id"])
    assert json.dumps(join_messages(load_context(new, point_next(new)).messages)) == second
    assert new.cost == 0


def test_texts_that_left_the_context_lie_beside_the_export(tmp_path: Path) -> None:
    result = document("compact", *arguments(BUDGET))
    written = document("export", str(result["run"]), "--to", str(tmp_path))
    files = list((tmp_path / written["session_id"] / "tool-results").iterdir())
    assert files
    text = Path(written["path"]).read_text()
    assert all(str(file) in text or file.name in text for file in files)


def test_a_second_export_overwrites_nothing(tmp_path: Path) -> None:
    result = document("compact", *arguments(FULL))
    first = document("export", str(result["run"]), "--to", str(tmp_path))
    data = Path(first["path"]).read_bytes()
    second = document("export", str(result["run"]), "--to", str(tmp_path))
    assert first["session_id"] == Compaction.objects.get(pk=result["id"]).session_id
    assert second["session_id"] != first["session_id"]
    assert Path(first["path"]).read_bytes() == data
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [f"{first['session_id']}.jsonl", f"{second['session_id']}.jsonl"]
    )


def test_it_says_what_was_done(tmp_path: Path) -> None:
    result = run("compact", *arguments(FULL))
    assert "A summary replaces" in result
    assert "Put together mechanically" in result
    number = Compaction.objects.latest("pk").run_id
    assert f"`lucid export {number} --to DIR`" in result
    assert "`claude --resume" in run("export", str(number), "--to", str(tmp_path))


def test_auto_says_why_nothing_would_happen() -> None:
    result = document("compact", SESSION, "--kind", "auto", "--model", "mechanical")
    assert not result["report"]["applied"]
    assert "fewer than the threshold" in result["report"]["why"]
    assert result["before"] == result["after"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--kind", "snip"], "needs the ids"),
        (["--kind", "partial-from"], "needs a pivot"),
        (["--kind", "budget", "--set", "size=3"], "budget has no setting 'size'"),
        (["--kind", "budget", "--set", "size"], "written name=value"),
        (["--kind", "full", "--model", "claude-opus-5"], "claude-opus-5 cannot be asked"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_reason(options: list[str], words: str) -> None:
    with pytest.raises(CommandError, match=words):
        run("compact", SESSION, *options)


@pytest.mark.parametrize("number", ["999999", "x", "-1"])
def test_an_export_of_nothing_is_refused(number: str, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no compaction"):
        call_command("export", "--to", str(tmp_path), "--", number)


def test_the_number_of_another_run_exports_nothing(tmp_path: Path) -> None:
    """Compactions have numbers of their own, which are not those of runs."""
    result = Compaction.objects.get(pk=document("compact", *arguments(FULL))["id"])
    Compaction.objects.filter(pk=result.pk).update(run_id=result.pk + 1000)
    with pytest.raises(CommandError, match="There is no compaction"):
        run("export", str(result.pk), "--to", str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_an_export_into_a_file_is_refused(tmp_path: Path) -> None:
    result = document("compact", *arguments(FULL))
    (tmp_path / "file").write_text("")
    with pytest.raises(CommandError, match="could not be written"):
        run("export", str(result["run"]), "--to", str(tmp_path / "file"))


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_what_goes_on() -> None:
    errors = Terminal()
    call_command("compact", SESSION, "--kind", "full", stdout=StringIO(), stderr=errors)
    assert errors.getvalue().splitlines() == ["reading the session", "compacting", "writing"]
    silent = StringIO()
    call_command("compact", SESSION, "--kind", "full", stdout=StringIO(), stderr=silent)
    assert silent.getvalue() == ""


def test_hooks_are_named_before_they_run(tmp_path: Path) -> None:
    hooks = {"SessionStart": [{"hooks": [{"type": "command", "command": "echo No force push"}]}]}
    (tmp_path / "settings.json").write_text(json.dumps({"hooks": hooks}))
    errors, out = StringIO(), StringIO()
    with override_settings(CLAUDE_CONFIG_DIR=tmp_path):
        call_command("compact", SESSION, "--kind", "full", "--json", "--hooks", stdout=out, stderr=errors)
    assert errors.getvalue() == f"SessionStart hook of {tmp_path}/settings.json: echo No force push\n"
    (ran,) = json.loads(out.getvalue())["report"]["hooks"]
    assert (ran["exit"], ran["output"]) == (0, "No force push\n")


def test_at_an_entry_only_what_stands_before_it_is_compacted() -> None:
    boundary = names.uuid("long", "manual boundary")
    printed = document("compact", SESSION, "--kind", "full", "--at", boundary)
    transcript = Transcript.objects.get(public_id=SESSION)
    context = load_context(transcript, find_moment(transcript, boundary).point)
    assert printed["before"]["messages"] == len(context.elements)
    assert names.uuid("long", "first prompt") in printed["dropped"]
    with pytest.raises(CommandError, match="has no entry L99999"):
        run("compact", SESSION, "--kind", "full", "--at", "L99999")


def test_pins_are_named_by_number_or_uuid_and_a_wrong_one_is_refused() -> None:
    messages = compactable_messages(load_context(transcript(), point_next(transcript())))
    prompt = next(message for message in messages if message.kind == "prompt")
    for name in (prompt.uuid, str(prompt.position)):
        made = document("compact", SESSION, "--kind", "full", "--set", "rules=articles", "--pin", name)
        assert Run.objects.get(pk=made["run"]).parameters["pinned"] == [prompt.uuid]
        added = [change["why"] for stage in made["report"]["stages"] for change in stage["changes"]]
        assert "what is pinned, word for word" in added
    with pytest.raises(CommandError, match="The session has no entry nobody"):
        run("compact", SESSION, "--kind", "full", "--pin", "nobody")


def test_the_lines_with_which_a_client_would_record_it_are_printed() -> None:
    recorded = {
        "snip_boundary": SNIP,
        "microcompact_boundary": MICROCOMPACT,
        "content-replacement": BUDGET,
        "marble-origami-commit": COLLAPSE,
        "compact_boundary": FULL,
    }
    for name, kind in recorded.items():
        printed = document("compact", *arguments(kind))["records"]
        assert name in {record.get("subtype") or record["type"] for record in printed}, kind
