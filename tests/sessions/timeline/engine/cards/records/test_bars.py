from __future__ import annotations

from typing import Any

from sessions.timeline.engine.cards import CardKind, Prose
from sessions.timeline.engine.cards.card import Fold
from tests.sessions.timeline.engine.cards.window import cards, part, single_card, user


def boundary(metadata: Any = None, subtype: str = "compact_boundary", **more: Any) -> dict[str, Any]:
    return {"type": "system", "subtype": subtype, "uuid": "b", "compactMetadata": metadata, **more}


def summary(words: str = "word " * 80) -> dict[str, Any]:
    return user(words, isCompactSummary=True, isVisibleInTranscriptOnly=True)


def test_a_compaction_is_told_in_one_sentence_with_its_summary() -> None:
    metadata = {
        "trigger": "auto",
        "preTokens": 167_190,
        "postTokens": 12_994,
        "durationMs": 67_651,
        "messagesSummarized": 118,
        "preservedMessages": {"uuids": list("abcdefghi")},
    }
    card = single_card(boundary(metadata), summary("x" * 16_400))
    assert card.kind is CardKind.BAR
    assert card.summary == (
        "Compacted automatically at ~167.2k tokens. 118 records became a summary of ~5.3k tokens;"
        " the client names the last 9 records as kept."
    )
    assert card.facts == ("took 1m 8s", "~13.0k tokens after, messages only, as the client expected")
    assert card.rows == (0, 1)
    assert isinstance(part(card, Fold).parts[0], Prose)


def test_what_a_boundary_does_not_say_is_unknown() -> None:
    assert single_card(boundary()).summary == "Compacted (trigger unknown), size before unknown."
    assert single_card(boundary("nonsense", uuid=5)).facts == ("no summary beside it",)
    kept = {"trigger": "manual", "preservedSegment": {"headUuid": "h"}}
    assert single_card(boundary(kept), summary()).summary == (
        "Compacted by hand, size before unknown. The conversation became a summary of ~133 tokens;"
        " the client kept the last records, their number unknown."
    )


def test_attachments_between_boundary_and_summary_do_not_part_them() -> None:
    attachment = {"type": "attachment", "attachment": {"type": "date", "newDate": "2026-01-01"}}
    bar, chips = cards(boundary({"trigger": "auto"}), attachment, summary())
    assert (bar.rows, chips.rows) == ((0, 2), (1,))


def test_a_summary_behind_a_conversation_is_not_the_boundarys() -> None:
    first, _, lone = cards(boundary({}), user("hello"), summary())
    assert (first.rows, lone.rows, lone.title) == ((0,), (2,), "Summary")


def test_an_old_summary_without_a_flag_is_known_by_its_words() -> None:
    card = single_card(user("This session is being continued from a previous conversation that ran out of context."))
    assert (card.kind, card.title) == (CardKind.BAR, "Summary")


def test_a_microcompaction_counts_what_it_cleared() -> None:
    metadata = {"trigger": "auto", "preTokens": 60_497, "tokensSaved": 21_279, "compactedToolIds": ["a", "b"]}
    card = single_card(boundary(subtype="microcompact_boundary", microcompactMetadata=metadata))
    assert card.summary == (
        "Cleared automatically at ~60.5k tokens: 2 tool results, ~21.3k tokens freed. The originals stay here."
    )
    unknown = single_card(boundary(subtype="microcompact_boundary"))
    assert (
        unknown.summary == "Cleared: an unknown number of tool results, tokens freed: unknown. The originals stay here."
    )


def test_a_snip_counts_its_records() -> None:
    card = single_card(boundary(subtype="snip_boundary", snipMetadata={"removedUuids": ["a", "b", "c"]}))
    assert card.summary == "Snipped: 3 records left the context. The text stays here."


def test_a_collapse_shows_its_summary() -> None:
    card = single_card({"type": "marble-origami-commit", "summaryContent": "they *talked*"})
    assert card.title == "Collapsed"
    assert [shown.html for shown in part(card, Fold).parts] == ["<p>they <em>talked</em></p>\n"]
