from __future__ import annotations

from typing import Any

import pytest

from sessions.secrets.engine import mask
from sessions.timeline.engine.cards.brief import LONGEST, Brief, make_brief
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.rows import Row


def brief_of(kind: str, **fields: Any) -> Brief:
    return make_brief(Row(3, 0, 10, kind, "", None, 0, Flag(0), {"type": kind, **fields}), mask)


def answer(*blocks: dict[str, Any]) -> Brief:
    return brief_of("assistant", message={"id": "msg_1", "role": "assistant", "content": list(blocks)})


def test_words_of_a_person_and_of_the_model_begin_as_they_do() -> None:
    assert brief_of("user", message={"role": "user", "content": "When is\n\nhigh water?"}) == Brief(
        "User", "When is high water?"
    )
    assert answer({"type": "text", "text": "At noon."}) == Brief("Assistant", "At noon.")


def test_a_call_is_named_by_its_tool_and_a_result_by_its_text() -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls -l"}}
    assert answer(call) == Brief("Bash", "ls -l")
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "README.md"}
    assert brief_of("user", message={"role": "user", "content": [result]}) == Brief("Result", "README.md")


def test_of_several_blocks_the_first_with_words_counts() -> None:
    silent = {"type": "thinking", "thinking": "", "signature": "x"}
    assert answer(silent, {"type": "text", "text": "At noon."}).words


def test_state_is_told_as_on_the_timeline() -> None:
    assert brief_of("permission-mode", permissionMode="plan") == Brief("Permission mode", "plan")


def test_long_words_are_cut_and_secrets_masked_before() -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    cut = brief_of("user", message={"role": "user", "content": f"{'x' * 90} {secret}"})
    assert len(cut.words) == LONGEST
    assert secret[:8] not in cut.words


@pytest.mark.parametrize("record", [{}, {"message": None}, {"message": {"content": 7}}, {"content": [[]]}])
@pytest.mark.parametrize("kind", ["user", "assistant", "system", "attachment", "progress", "never-heard-of"])
def test_whatever_a_record_holds_it_has_a_name(kind: str, record: dict[str, Any]) -> None:
    assert brief_of(kind, **record).who
