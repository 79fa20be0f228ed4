from __future__ import annotations

from compaction.mechanisms.engine.compaction.continuation import summary_message
from compaction.trail.engine import (
    PromptState,
    QuoteCounts,
    SummaryQuotes,
    count_quotes,
    prompt_states,
    searchable_words,
)
from sessions.transcripts.engine.marks import Fate, Mark
from tests.sessions.transcripts.engine.talk import answered
from tests.sessions.transcripts.engine.talk import typed as typed

KEPT, AWAY = PromptState.KEPT, PromptState.SUMMARISED


def test_what_a_later_boundary_summarised_was_kept_by_this_one() -> None:
    marks = [Mark(0, 3, Fate.SUMMARISED, 10), Mark(4, 6, Fate.SUMMARISED, 20), Mark(11, 15, Fate.SUMMARISED, 20)]
    assert prompt_states(10, [0, 5, 12], marks) == {0: AWAY, 5: KEPT}
    assert prompt_states(20, [0, 5, 12], marks) == {0: AWAY, 5: AWAY, 12: AWAY}


def test_the_last_boundary_keeps_what_is_marked_so() -> None:
    marks = [Mark(0, 3, Fate.SUMMARISED, 10), Mark(4, 6, Fate.KEPT, 10)]
    assert prompt_states(10, [1, 4], marks) == {1: AWAY, 4: KEPT}


def test_what_was_snipped_is_away_and_what_was_left_behind_does_not_count() -> None:
    marks = [Mark(0, 1, Fate.SNIPPED, 5), Mark(2, 3, Fate.ABANDONED, None), Mark(4, 4, Fate.SUMMARISED, 10)]
    assert prompt_states(10, [0, 2, 4], marks) == {0: AWAY, 4: AWAY}


def test_a_message_counts_as_quoted_whatever_stands_between_its_words() -> None:
    quoting = SummaryQuotes(
        '6. All User Messages:\n   - "Fix the **login**,\n     please!"\n   - go on\n7. Pending Tasks:\n   - yes'
    )
    held = [
        quoting.holds(searchable_words(text))
        for text in ("fix the login please", "Go on.", "yes", "fix the logout", "")
    ]
    assert held == [True, True, False, False, False]


def test_of_a_long_message_its_beginning_is_enough() -> None:
    long = " ".join(f"word{number}" for number in range(200))
    quoting = SummaryQuotes(f"The user wrote: {long[:400]} [...]")
    assert quoting.holds(searchable_words(long))
    assert not quoting.holds(searchable_words(long[20:] + " and more"))


def test_a_part_of_it_is_enough_where_it_is_listed() -> None:
    message = searchable_words("Never mind renaming. Simulate every station for a year, and show me the worst")
    listed = '6. All User Messages:\n   - "Simulate every station for a year"\n'
    assert SummaryQuotes(listed).holds(message)
    assert not SummaryQuotes("Simulate every station for a year").holds(message)


def test_what_is_shortened_with_a_mark_counts_by_its_beginning() -> None:
    quoting = SummaryQuotes('6. All User Messages:\n   - "Look at the moorings of [...] and tell me"\n   - "ok ..."')
    assert quoting.holds(searchable_words("Look at the moorings of Husum, count them, and tell me"))
    assert not quoting.holds(searchable_words("Look at the harbour of Husum and tell me"))
    assert not quoting.holds(searchable_words("ok then, never mind"))


def test_a_compaction_made_here_counts_what_its_context_had() -> None:
    before = [typed("fix the login"), answered("Done."), typed("and the logout"), typed("thanks")]
    after = [summary_message('1. All User Messages:\n- "fix the login"', "summary"), before[2]]
    counted = count_quotes(before, after, '1. All User Messages:\n- "fix the login"')
    assert counted == QuoteCounts(3, 1, 1)
    assert counted.to_json() == {"total": 3, "kept": 1, "quoted": 1, "gone": 1}
    assert QuoteCounts(3, 1, None).to_json()["gone"] is None
