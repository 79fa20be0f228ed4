from __future__ import annotations

from sessions.agents.engine import Mail, MailKind, draw_sequence
from sessions.agents.engine.mail import EVERYONE, MAIN
from tests.sessions.agents.engine.records import record_at


def mail(sender: str, recipient: str, position: int = 1) -> Mail:
    return Mail(MailKind.MESSAGE, sender, recipient, "words", sent=record_at(position))


def test_lanes_stand_in_the_order_of_the_tree_and_strangers_follow() -> None:
    drawn = draw_sequence([mail("a2", "?bob"), mail("a1", "a2"), mail("?", "a1")], ["a1", "a2", "a3"])

    assert [(lane.key, lane.has_transcript, lane.name) for lane in drawn.lanes] == [
        (MAIN, True, ""),
        ("a1", True, "a1"),
        ("a2", True, "a2"),
        ("?bob", False, "bob"),
        ("?", False, ""),
    ]
    assert [lane.x for lane in drawn.lanes] == sorted({lane.x for lane in drawn.lanes})


def test_arrows_lead_from_lane_to_lane_one_below_the_other() -> None:
    drawn = draw_sequence([mail(MAIN, "a1"), mail("a1", MAIN)], ["a1"], first=151)
    down, up = drawn.arrows
    main, agent = (lane.x for lane in drawn.lanes)

    assert (down.start, down.end, up.start, up.end) == (main, agent, agent, main)
    assert (down.number, up.number) == (151, 152)
    assert down.y < up.y < drawn.height
    assert down.tip.startswith(f"{agent},")
    assert up.tip.startswith(f"{main},")
    assert [(life.x, life.height) for life in drawn.lifelines] == [(main, up.y - down.y), (agent, up.y - down.y)]


def test_a_broadcast_reaches_across_all_lanes_and_a_message_to_oneself_has_a_length() -> None:
    drawn = draw_sequence([mail("a1", EVERYONE), mail("a1", "a1"), mail(MAIN, "a2")], ["a1", "a2"])
    broadcast, own, _ = drawn.arrows

    assert broadcast.everyone
    assert broadcast.end == max(lane.x for lane in drawn.lanes)
    assert own.end > own.start
    assert EVERYONE not in {lane.key for lane in drawn.lanes}


def test_without_messages_there_is_the_session_alone() -> None:
    drawn = draw_sequence([], ["a1"])

    assert ([lane.key for lane in drawn.lanes], drawn.arrows) == ([MAIN], ())


def test_words_never_run_out_of_the_picture() -> None:
    keys = [f"a{number}" for number in range(40)]
    drawn = draw_sequence([mail(MAIN, keys[-1]), mail(keys[-1], MAIN), *(mail(MAIN, key) for key in keys)], keys)

    assert all(arrow.label + arrow.room * 6 <= drawn.width for arrow in drawn.arrows)
