"""Results that old versions cleared in their requests: only what the API counted tells of it."""

from __future__ import annotations

import pytest

from sessions.context.engine import Context, context_at, contexts
from sessions.context.engine.changes import compare_contexts
from sessions.context.engine.left_out import LeftOutEntry, LeftOutReason, find_left_out
from tests.sessions.context.engine.context_helpers import call, last, log_of
from tests.sessions.writing import Writing

LONG = "high water at noon. " * 2_000
WEIGHT = len(LONG) // 4
CLEARS = "2.0.76"


class Session:
    """Reads one long file after another. `counted`: what the API counts of a request."""

    def __init__(self, version: str = CLEARS, tool: str = "Read") -> None:
        self.writing, self.version, self.tool, self.counted, self.count = Writing(), version, tool, 20_000, 0
        self.writing.user("Look", version=version, todos=[])

    def reads(self, times: int) -> Session:
        for _ in range(times):
            self.count += 1
            self._answers(call(f"t{self.count}", self.tool))
            self.writing.result(f"t{self.count}", LONG, version=self.version)
            self.counted += WEIGHT
        return self

    def _answers(self, *blocks: dict[str, object] | str) -> None:
        usage = {"input_tokens": self.counted, "output_tokens": 1}
        self.writing.assistant(*blocks, message=f"m{self.count}", version=self.version, usage=usage)

    def next_context(self) -> Context:
        self.count += 1
        self._answers("Seen.")
        return last(self.writing)


def are_cleared(context: Context) -> list[bool]:
    blocks = [piece.block for element in context.elements for piece in element.pieces]
    results = [block["content"] for block in blocks if block["type"] == "tool_result"]
    return [content == "[Old tool result content cleared]" for content in results]


@pytest.mark.parametrize(("version", "known"), [(CLEARS, True), ("2.1.90", False), ("2.1.325", False)])
def test_a_request_that_is_lighter_by_the_old_results_was_sent_without_them(version: str, known: bool) -> None:
    session = Session(version).reads(6)
    session.counted -= 3 * WEIGHT
    assert are_cleared(session.next_context()) == [known] * 3 + [False] * 3


def test_a_request_that_weighs_as_much_as_it_should_has_them_all() -> None:
    assert not any(are_cleared(Session().reads(6).next_context()))


def test_what_was_cleared_stays_so_and_more_follows() -> None:
    session = Session().reads(6)
    session.counted -= 3 * WEIGHT
    session.reads(2)
    assert are_cleared(session.next_context()) == [True] * 3 + [False] * 5
    session.reads(1)
    session.counted -= 3 * WEIGHT
    context = session.next_context()
    assert are_cleared(context) == [True] * 6 + [False] * 3
    assert context_at(log_of(session.writing), context.request).elements == context.elements


def test_a_request_before_that_one_had_them_all() -> None:
    session = Session().reads(6)
    session.counted -= 3 * WEIGHT
    session.next_context()
    *_, before, _ = contexts(log_of(session.writing))
    assert not any(are_cleared(before))


def test_results_of_other_tools_are_never_cleared() -> None:
    session = Session(tool="Task").reads(6)
    session.counted -= 3 * WEIGHT
    assert not any(are_cleared(session.next_context()))


def test_a_client_that_reads_the_session_again_has_them_back() -> None:
    session = Session().reads(6)
    session.counted -= 3 * WEIGHT
    session.next_context()
    session.writing.user("Again", version=CLEARS)
    session.counted += 3 * WEIGHT
    assert not any(are_cleared(session.next_context()))


def test_what_was_cleared_without_a_record_is_listed_as_left_out_and_as_the_cause_of_the_break() -> None:
    session = Session().reads(6)
    session.counted -= 3 * WEIGHT
    context = session.next_context()
    log = log_of(session.writing)
    left_out = find_left_out(context, log.rows, log.marks())
    assert list(left_out) == [LeftOutEntry(position, LeftOutReason.CLEARED) for position in (2, 4, 6)]
    before = list(contexts(log))[-2]
    sentence = compare_contexts(before, context).sentence
    assert sentence.endswith(
        "message 3 of 11: it was rewritten (the text of a result was cleared, which no record tells)."
    )
