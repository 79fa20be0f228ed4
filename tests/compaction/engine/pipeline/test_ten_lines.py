"""What a person needs to write who has nothing but plain messages of the API."""

from __future__ import annotations

from typing import Any

from compaction.engine import Effects, PipelineState, SummaryRequest, run_pipeline
from sessions.engine.lint import Severity, lint_request
from sessions.engine.messages import messages_of

MODEL = "claude-opus-4-5"
PROMPTS = [f"Question {number}: {'what about it? ' * 2_000}" for number in range(60)]


def model(messages: list[dict[str, Any]]) -> str:
    found = lint_request({"model": MODEL, "max_tokens": 1_000, "messages": messages})
    assert [one for one in found if one.severity is Severity.REFUSED] == []
    return "It depends. " * 200


def summarise(request: SummaryRequest) -> str:
    return "<analysis>many questions</analysis><summary>1. Primary Request and Intent: questions</summary>"


def test_ten_lines_keep_an_endless_conversation_inside_its_window() -> None:
    sizes = []
    # The example of the documentation begins here.
    array: list[dict[str, Any]] = []  # the whole conversation: only ever appended to
    state = PipelineState()
    for now, prompt in enumerate(PROMPTS):
        array.append({"role": "user", "content": prompt})
        outcome = run_pipeline(messages_of(array), state=state, now=now, effects=Effects(summarise=summarise))
        state = outcome.state  # state.saved() is bytes to keep, PipelineState.loaded(...) brings it back
        answer = model(outcome.array)
        array.append({"role": "assistant", "content": answer})
        # And here it ends.
        sizes.append(outcome.report.tokens_after)
    assert len(array) == 2 * len(PROMPTS)
    assert len(state.compactions) > 2
    assert max(sizes) < 167_000
