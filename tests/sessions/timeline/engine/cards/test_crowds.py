"""Records with thousands of parts: what is drawn of them is bounded, said, and looked up once."""

from __future__ import annotations

from typing import Any

from sessions.timeline.engine.cards import Card, Pictures, tool_results
from sessions.timeline.engine.cards.build import MAX_BLOCKS, MAX_CARDS
from tests.sessions.timeline.engine.cards.window import assistant, cards, user

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def calls(count: int, prefix: str = "t") -> dict[str, Any]:
    return assistant(
        *({"type": "tool_use", "id": f"{prefix}{n}", "name": "Bash", "input": {"command": "ls"}} for n in range(count))
    )


def results(count: int, prefix: str = "t", content: Any = "ok") -> dict[str, Any]:
    return user([{"type": "tool_result", "tool_use_id": f"{prefix}{n}", "content": content} for n in range(count)])


def left_out(drawn: list[Card]) -> list[str]:
    return [chip.detail for card in drawn for chip in card.chips if chip.label == "not shown here"]


def test_a_record_of_a_thousand_parts_shows_the_first_and_says_how_many_more_there_are() -> None:
    drawn = cards(assistant(*({"type": "text", "text": f"part {n}"} for n in range(1_000))))
    assert len(drawn) == MAX_BLOCKS + 1
    assert left_out(drawn) == [f"{1_000 - MAX_BLOCKS} more parts of this record"]


def test_many_such_records_share_what_a_page_holds() -> None:
    drawn = cards(*(assistant(*({"type": "text", "text": "t"} for _ in range(500))) for _ in range(100)))
    assert len(drawn) <= MAX_CARDS + 100
    assert len(left_out(drawn)) == 100


def test_the_page_of_the_record_itself_shows_all() -> None:
    drawn = cards(assistant(*({"type": "text", "text": f"part {n}"} for n in range(1_000))), whole=True)
    assert len(drawn) == 1_000
    assert left_out(drawn) == []


def test_a_usual_record_is_not_cut() -> None:
    drawn = cards(calls(MAX_BLOCKS), results(MAX_BLOCKS))
    assert len(drawn) == MAX_BLOCKS
    assert left_out(drawn) == []


def test_the_results_of_a_record_are_sorted_once_however_many_calls_ask(monkeypatch: Any) -> None:
    sorted_records: list[int] = []
    real = tool_results.results_of

    def counted(record: Any) -> list[dict[str, Any]]:
        sorted_records.append(id(record))
        return real(record)

    monkeypatch.setattr(tool_results, "results_of", counted)
    drawn = cards(calls(2_000), results(2_000), whole=True)
    assert len(drawn) == 2_000
    assert len(sorted_records) == 1


def test_each_call_shows_the_pictures_of_its_own_result() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    drawn = cards(calls(3), results(3, content=[image]))
    output = [[item.n for part in card.parts if isinstance(part, Pictures) for item in part.items] for card in drawn]
    assert output == [[0], [1], [2]]
