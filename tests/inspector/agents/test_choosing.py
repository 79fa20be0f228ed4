from __future__ import annotations

from pathlib import Path

import pytest

from inspector.agents.anthropic_model import AnthropicModel
from inspector.agents.choosing import Choice, ModelSettings, choose_model
from inspector.agents.claude_cli import ClaudeCli


@pytest.fixture
def claude(tmp_path: Path) -> str:
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return str(program)


def test_a_key_comes_first(claude: str) -> None:
    choice = choose_model(ModelSettings(api_key="k", main="big", small="little", claude=claude))
    assert isinstance(choice.model, AnthropicModel)
    assert (choice.kind, choice.main, choice.small) == ("anthropic", "big", "little")
    assert "ANTHROPIC_API_KEY is set" in choice.why


def test_without_a_key_the_command_is_chosen(claude: str) -> None:
    choice = choose_model(ModelSettings(claude=claude, main="sonnet"))
    assert isinstance(choice.model, ClaudeCli)
    assert (choice.kind, choice.main) == ("claude", "sonnet")


@pytest.mark.parametrize(("claude_", "why"), [("off", "switched off"), ("", "switched off"), ("no-such-one", "found")])
def test_without_a_key_or_a_command_summaries_are_mechanical(claude_: str, why: str) -> None:
    choice = choose_model(ModelSettings(claude=claude_, main="sonnet"))
    assert choice == Choice("mechanical", choice.why)
    assert why in choice.why


def test_the_key_is_not_shown() -> None:
    settings = ModelSettings(api_key="sk-secret")
    assert "sk-secret" not in repr(settings) + repr(choose_model(settings))
