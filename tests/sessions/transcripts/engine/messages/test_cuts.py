from __future__ import annotations

from hypothesis import given

from sessions.transcripts.engine.messages import Message
from sessions.transcripts.engine.messages.cuts import Hold, find_cuts
from tests.sessions.transcripts.engine.messages.conversations import conversations
from tests.sessions.transcripts.engine.talk import answered, call, pairs, returned, typed


def test_an_empty_conversation_can_be_cut_at_its_only_place() -> None:
    assert find_cuts([]).legal == (0,)


def test_a_call_and_its_result_hold_together() -> None:
    cuts = find_cuts([typed("go"), answered("", call("toolu_1")), returned(("toolu_1", "ok")), answered("done")])
    assert cuts.legal == (0, 1, 3, 4)
    obstacle = cuts.obstacles[2]
    assert obstacle is not None
    assert (obstacle.hold, obstacle.id, obstacle.first, obstacle.last) == (Hold.TOOL_PAIR, "toolu_1", 1, 2)


def test_the_records_of_one_answer_hold_together() -> None:
    cuts = find_cuts([typed("go"), answered("one", id="a"), answered("two", id="a"), typed("and")])
    assert cuts.legal == (0, 1, 3, 4)
    assert cuts.obstacles[2] is not None
    assert cuts.obstacles[2].hold is Hold.ANSWER


def test_results_between_the_records_of_an_answer_belong_to_it() -> None:
    messages = [
        answered("", call("toolu_1"), id="a"),
        returned(("toolu_1", "ok")),
        answered("", call("toolu_2"), id="a"),
        returned(("toolu_2", "ok")),
        typed("thanks"),
    ]
    assert find_cuts(messages).legal == (0, 4, 5)


def test_a_server_tool_that_answers_in_a_later_response_holds_both_together() -> None:
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    block = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    messages = [
        typed("go"),
        answered("", search, call("toolu_1")),
        returned(("toolu_1", "ok")),
        answered("so", block),
        typed("thanks"),
    ]
    assert find_cuts(messages).legal == (0, 1, 4, 5)


def test_a_call_whose_result_is_to_come_holds_the_end() -> None:
    cuts = find_cuts([typed("go"), answered("", call("toolu_1"))])
    assert cuts.legal == (0, 1)
    assert cuts.obstacles[2] is not None
    assert cuts.obstacles[2].hold is Hold.OPEN_CALL


def test_a_call_that_was_given_up_holds_nothing() -> None:
    cuts = find_cuts([answered("", call("toolu_1")), typed("stop"), answered("stopped")])
    assert cuts.legal == (0, 1, 2, 3)


@given(conversations())
def test_no_legal_cut_splits_a_pair_or_an_answer(messages: list[Message]) -> None:
    cuts = find_cuts(messages)
    assert len(cuts.obstacles) == len(messages) + 1
    for place in range(len(messages) + 1):
        head, tail = messages[:place], messages[place:]
        calls, results = pairs(head)
        shared = {item.message_id for item in head if item.message_id} & {item.message_id for item in tail}
        split = bool(calls & pairs(tail)[1] or results & pairs(tail)[0] or shared)
        obstacle = cuts.obstacles[place]
        assert cuts.is_legal(place) != (split or (obstacle is not None and obstacle.hold is Hold.OPEN_CALL))
        assert obstacle is None or obstacle.first < place <= obstacle.last
