from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from compaction.hooks import selectors as hooks
from compaction.hooks.engine.file_access import inspect_access
from compaction.hooks.selectors import Hook, HookConfiguration, Origin, Scope, hooks_of
from sessions.models import Transcript

Settings = dict[str, Any]


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[Origin, Path]:
    managed = tmp_path / "etc" / "managed-settings.json"
    monkeypatch.setattr(hooks, "managed_settings", lambda: managed)
    project = tmp_path / "project" / ".claude"
    return {
        Origin.POLICY: managed,
        Origin.USER: tmp_path / "config" / "settings.json",
        Origin.PROJECT: project / "settings.json",
        Origin.LOCAL: project / "settings.local.json",
    }


def write(file: Path, given: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(given if isinstance(given, str) else json.dumps(given))


def hooks_in(places: dict[Origin, Path], trigger: str = "manual") -> HookConfiguration:
    session = Transcript(cwd=str(places[Origin.PROJECT].parent.parent))
    with override_settings(CLAUDE_CONFIG_DIR=places[Origin.USER].parent):
        return hooks_of(session, trigger)


def named(command: str, event: str = "PreCompact", **group: Any) -> Settings:
    return {"hooks": {event: [{**group, "hooks": [{"type": "command", "command": command}]}]}}


def commands(configured: HookConfiguration, scope: Scope = Scope.ALL) -> list[str]:
    return [hook.command for hook in configured.allowed_by(scope)]


def test_nothing_is_configured_where_there_are_no_settings(places: dict[Origin, Path]) -> None:
    assert hooks_in(places) == HookConfiguration(())


def test_hooks_are_listed_with_the_file_that_names_them(places: dict[Origin, Path]) -> None:
    write(places[Origin.USER], {"hooks": {"PreCompact": [{"hooks": [{"command": "save", "timeout": 5}]}]}})
    file = places[Origin.USER]
    assert hooks_in(places).hooks == (
        Hook("PreCompact", "", "save", 5.0, Origin.USER, str(file), "", inspect_access(file)),
    )


def test_hooks_of_a_project_run_only_if_somebody_says_so(places: dict[Origin, Path]) -> None:
    for origin, file in places.items():
        write(file, named(str(origin)))
    configured = hooks_in(places)
    assert commands(configured) == ["policy", "user", "project", "local"]
    assert commands(configured, Scope.USER) == ["policy", "user"]
    assert commands(configured, Scope.OFF) == []


@pytest.mark.parametrize(
    ("matcher", "manual", "auto"),
    [("", 1, 1), ("*", 1, 1), ("manual", 1, 0), ("manual|auto", 1, 1), ("auto", 0, 1), ("^man", 1, 0), ("(", 0, 0)],
)
def test_a_matcher_says_which_compactions_it_is_for(
    places: dict[Origin, Path], matcher: str, manual: int, auto: int
) -> None:
    write(places[Origin.USER], named("save", matcher=matcher))
    assert (len(hooks_in(places, "manual").hooks), len(hooks_in(places, "auto").hooks)) == (manual, auto)


def test_a_session_starts_anew_only_by_a_compaction_here(places: dict[Origin, Path]) -> None:
    write(places[Origin.USER], named("greet", "SessionStart", matcher="startup|resume"))
    assert commands(hooks_in(places)) == []
    write(places[Origin.USER], named("greet", "SessionStart", matcher="startup|compact"))
    assert commands(hooks_in(places)) == ["greet"]


def test_a_command_that_is_named_twice_runs_once_and_in_the_order_of_events(places: dict[Origin, Path]) -> None:
    given = {
        name: [{"hooks": [{"command": "save"}, {"command": "save"}]}]
        for name in ("PostCompact", "SessionStart", "PreCompact")
    }
    write(places[Origin.USER], {"hooks": given})
    assert [hook.event for hook in hooks_in(places).hooks] == ["PreCompact", "SessionStart", "PostCompact"]


def test_hooks_can_be_switched_off(places: dict[Origin, Path]) -> None:
    for origin, file in places.items():
        write(file, named(str(origin)))
    write(places[Origin.PROJECT], {**named("project"), "disableAllHooks": True})
    assert commands(hooks_in(places)) == ["policy", "user", "local"]
    write(places[Origin.USER], {**named("user"), "disableAllHooks": True})
    assert commands(hooks_in(places)) == ["policy"]
    write(places[Origin.POLICY], {**named("policy"), "disableAllHooks": True})
    assert commands(hooks_in(places)) == []


def test_whoever_manages_the_machine_may_allow_only_his_own(places: dict[Origin, Path]) -> None:
    write(places[Origin.POLICY], {**named("policy"), "allowManagedHooksOnly": True})
    write(places[Origin.USER], named("user"))
    assert commands(hooks_in(places)) == ["policy"]


def test_what_cannot_run_here_is_listed_and_says_so(places: dict[Origin, Path]) -> None:
    entries = [{"type": "prompt", "prompt": "Is it time?"}, {"type": "command", "command": " "}]
    write(places[Origin.USER], {"hooks": {"PreCompact": [{"hooks": entries}]}})
    configured = hooks_in(places)
    assert [hook.unsupported for hook in configured.hooks] == [
        "Hooks of the type prompt do not run here.",
        "It names no command.",
    ]
    assert commands(configured) == []


@pytest.mark.parametrize("given", ["{", "[]", '{"hooks": 3}', '{"hooks": {"PreCompact": {"a": 1}}}', '{"hooks": null}'])
def test_settings_of_another_form_have_no_hooks(places: dict[Origin, Path], given: str) -> None:
    write(places[Origin.USER], given)
    configured = hooks_in(places)
    assert configured.hooks == ()
    assert len(configured.problems) == (given == "{")


def test_settings_beside_an_imported_session_never_count(places: dict[Origin, Path], tmp_path: Path) -> None:
    write(tmp_path / "foreign" / "settings.json", named("evil"))
    with override_settings(CLAUDE_CONFIG_DIR=places[Origin.USER].parent):
        assert hooks_of(Transcript(cwd="relative/project")).hooks == ()


@pytest.mark.parametrize("exposed", ["file", "folder", "above"])
def test_one_that_others_could_have_written_is_shown_and_does_not_run(places: dict[Origin, Path], exposed: str) -> None:
    file = places[Origin.PROJECT]
    write(file, named("planted"))
    assert commands(hooks_in(places)) == ["planted"]
    open_to_all = {"file": file, "folder": file.parent, "above": file.parent.parent}[exposed]
    open_to_all.chmod(open_to_all.stat().st_mode | 0o002)
    configured = hooks_in(places)
    (hook,) = configured.hooks
    assert hook.command == "planted"
    assert str(open_to_all) in hook.refused
    assert commands(configured) == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file to somebody else")
def test_one_whose_settings_belong_to_somebody_else_does_not_run(places: dict[Origin, Path]) -> None:
    file = places[Origin.USER]
    write(file, named("planted"))
    os.chown(file, 65534, 65534)
    configured = hooks_in(places)
    assert [hook.access.owner for hook in configured.hooks if hook.access] == ["nobody"]
    assert "belongs to nobody" in configured.hooks[0].refused
    assert commands(configured) == []


def test_settings_that_a_link_takes_out_of_the_project_are_named_and_not_read(
    places: dict[Origin, Path], tmp_path: Path
) -> None:
    write(tmp_path / "elsewhere.json", named("elsewhere"))
    places[Origin.PROJECT].parent.mkdir(parents=True)
    places[Origin.PROJECT].symlink_to(tmp_path / "elsewhere.json")
    configured = hooks_in(places)
    assert configured.hooks == ()
    assert "out of the project; it is not followed" in configured.problems[0]


def test_settings_nested_without_end_are_a_problem_and_no_failure(places: dict[Origin, Path]) -> None:
    write(places[Origin.USER], "[" * 100_000)
    assert "cannot be read" in hooks_in(places).problems[0]
