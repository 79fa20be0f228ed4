from __future__ import annotations

from hypothesis import given

from sessions.transcripts.engine.messages import Message
from sessions.transcripts.engine.messages.cuts import Hold, find_cuts
from tests.sessions.transcripts.engine.messages.conversations import conversations
from tests.sessions.transcripts.engine.talk import answered, call, pairs, returned, said


def test_an_empty_conversation_can_be_cut_at_its_only_place() -> None:
    assert find_cuts([]).legal == (0,)


def test_a_call_and_its_result_hold_together() -> None:
    found = find_cuts([said("go"), answered("", call("toolu_1")), returned(("toolu_1", "ok")), answered("done")])
    assert found.legal == (0, 1, 3, 4)
    obstacle = found.obstacles[2]
    assert obstacle is not None
    assert (obstacle.hold, obstacle.id, obstacle.first, obstacle.last) == (Hold.TOOL_PAIR, "toolu_1", 1, 2)


def test_the_records_of_one_answer_hold_together() -> None:
    found = find_cuts([said("go"), answered("one", id="a"), answered("two", id="a"), said("and")])
    assert found.legal == (0, 1, 3, 4)
    assert found.obstacles[2] is not None
    assert found.obstacles[2].hold is Hold.ANSWER


def test_results_between_the_records_of_an_answer_belong_to_it() -> None:
    messages = [
        answered("", call("toolu_1"), id="a"),
        returned(("toolu_1", "ok")),
        answered("", call("toolu_2"), id="a"),
        returned(("toolu_2", "ok")),
        said("thanks"),
    ]
    assert find_cuts(messages).legal == (0, 4, 5)


def test_a_server_tool_that_answers_in_a_later_response_holds_both_together() -> None:
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    messages = [
        said("go"),
        answered("", search, call("toolu_1")),
        returned(("toolu_1", "ok")),
        answered("so", found),
        said("thanks"),
    ]
    assert find_cuts(messages).legal == (0, 1, 4, 5)


def test_a_call_whose_result_is_to_come_holds_the_end() -> None:
    found = find_cuts([said("go"), answered("", call("toolu_1"))])
    assert found.legal == (0, 1)
    assert found.obstacles[2] is not None
    assert found.obstacles[2].hold is Hold.OPEN_CALL


def test_a_call_that_was_given_up_holds_nothing() -> None:
    found = find_cuts([answered("", call("toolu_1")), said("stop"), answered("stopped")])
    assert found.legal == (0, 1, 2, 3)


@given(conversations())
def test_no_legal_cut_splits_a_pair_or_an_answer(messages: list[Message]) -> None:
    found = find_cuts(messages)
    assert len(found.obstacles) == len(messages) + 1
    for place in range(len(messages) + 1):
        head, tail = messages[:place], messages[place:]
        calls, results = pairs(head)
        shared = {one.message_id for one in head if one.message_id} & {one.message_id for one in tail}
        split = bool(calls & pairs(tail)[1] or results & pairs(tail)[0] or shared)
        obstacle = found.obstacles[place]
        assert found.is_legal(place) != (split or (obstacle is not None and obstacle.hold is Hold.OPEN_CALL))
        assert obstacle is None or obstacle.first < place <= obstacle.last
