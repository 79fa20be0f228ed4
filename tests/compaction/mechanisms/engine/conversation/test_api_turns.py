from __future__ import annotations

from compaction.mechanisms.engine.conversation.api_turns import api_turns_of
from sessions.transcripts.engine.messages import Message, MessageKind, text_block
from tests.sessions.transcripts.engine.spoken import Talk


def test_a_prompt_begins_a_turn_with_the_answer_to_it() -> None:
    talk = Talk()
    talk.prompt("do it")
    talk.reads("tides.py")
    talk.says("done")
    talk.prompt("more")
    loops = api_turns_of(talk.messages)
    assert loops.heads == (1,)
    assert loops.joins == (False, False, False, True, False, False)
    assert loops.latest is None
    talk.says("done too")
    assert api_turns_of(talk.messages).heads == (1, 5)
    assert api_turns_of(talk.messages).latest == 5


def test_words_that_come_with_results_go_on_with_the_turn() -> None:
    talk = Talk()
    talk.prompt("do it")
    talk.reads("tides.py")
    talk.prompt("quickly")
    talk.says("done")
    loops = api_turns_of(talk.messages)
    assert loops.heads == (1,)
    assert loops.joins[3:5] == (True, True)
    assert loops.head_before(5) == 1
    assert loops.head_before(1) is None


def test_what_is_never_sent_and_what_the_system_says_part_nothing() -> None:
    talk = Talk()
    talk.prompt("do it")
    talk.reads("tides.py")
    nothing = Message("user", (), MessageKind.INJECTED)
    note = Message("system", (text_block("low water"),), MessageKind.INJECTED)
    messages = [*talk.messages, nothing, note, talk.says("done")]
    assert api_turns_of(messages).heads == (1,)
    assert api_turns_of([note, *messages[:1], note, *messages[1:]]).heads == (3,)
