"""A session of two hours, through every mechanism that needs no model, in the order in which a client runs them."""

from __future__ import annotations

import time
from collections.abc import Sequence

from compaction.mechanisms.engine.collapse import CollapseConfig, collapse
from compaction.mechanisms.engine.microcompact import MicrocompactConfig, microcompact
from compaction.mechanisms.engine.microcompact.clearable import CLEARED
from compaction.mechanisms.engine.microcompact.timed import TimedConfig
from compaction.mechanisms.engine.snip.removal import short_id, snip, tag_inputs
from compaction.mechanisms.engine.tool_result_limit.limit import limit_tool_results
from sessions.transcripts.engine.messages import Message, MessageKind
from sessions.usage.engine.tokens import CountCache, Limits, context_tokens, estimate
from tests.sessions.transcripts.engine.talk import NOON, answered, call, content, loop, returned, sent, typed, whole

CONFIG = MicrocompactConfig(timed=TimedConfig(enabled=True))
COLLAPSE = CollapseConfig(enabled=True)


def early() -> list[Message]:
    """More than 40 calls and about 160,000 tokens."""
    messages = [typed("the login has to keep its tokens on the server")]
    for number in range(44):
        messages += loop(
            1, 10_000 + 40 * number, tool=("Read", "Bash", "Edit", "Grep")[number % 4], prefix=f"n{number}"
        )
        if number % 8 == 7:
            messages += [answered(f"step {number} is done"), typed(f"go on after {number}")]
    return messages


def recent() -> list[Message]:
    return [
        answered("the main branch first", call("toolu_80", "Read", file_path="src/auth/AuthSession.ts")),
        returned(("toolu_80", "class AuthSession {}\n" * 900)),
        answered("then a first version", call("toolu_81", "Edit", file_path="src/auth/AuthSession.ts")),
        returned(("toolu_81", "edited")),
        typed("think of people with two devices"),
        answered("then the other one has to stay logged in", at=NOON + 60),
        typed("right"),
    ]


def summarise(span: Sequence[Message], /) -> str:
    return f"{len(span)} messages about the login"


def pipeline(messages: Sequence[Message], now: float) -> Sequence[Message]:
    counter = CountCache()
    view = limit_tool_results(messages, counter=counter).messages
    view = snip(view, [], counter=counter).messages
    view = microcompact(view, CONFIG, now=now, counter=counter).messages
    view = collapse(view, COLLAPSE, limits=Limits(), summarise=summarise, counter=counter).messages
    return tag_inputs(view, counter=counter).messages


def test_while_work_goes_on_the_latest_messages_stay_as_they_are() -> None:
    messages = [*early(), *recent()]
    view = pipeline(messages, NOON + 90)
    assert estimate(view) < 0.62 * Limits().effective < context_tokens(messages)
    assert [message for message in view if message.kind is not MessageKind.PROMPT][-5:] == [
        message for message in messages if message.kind is not MessageKind.PROMPT
    ][-5:]
    assert whole(view)


def test_all_that_people_said_is_still_there_with_an_id() -> None:
    messages = [*early(), *recent()]
    view = pipeline(messages, NOON + 90)
    inputs = [message for message in messages if message.kind is MessageKind.PROMPT]
    assert [message.content[0]["text"] for message in view if message.kind is MessageKind.PROMPT] == [
        f"{message.content[0]['text']}\n[id:{short_id(message.uuid)}]" for message in inputs
    ]


def test_after_a_pause_the_clock_makes_so_much_room_that_nothing_is_collapsed() -> None:
    messages = [*early(), *recent()]
    view = pipeline(messages, NOON + 3 * 3600)
    assert content(view, "n0_00") == CLEARED
    assert content(view, "toolu_80").startswith("class AuthSession")
    assert not any(message.kind is MessageKind.SUMMARY for message in view)
    assert len(view) == len(messages)


def test_the_same_messages_make_the_same_request() -> None:
    messages = [*early(), *recent()]
    assert sent(pipeline(messages, NOON + 90)) == sent(pipeline(messages, NOON + 90))


def test_it_takes_a_blink_at_170_000_tokens() -> None:
    messages = [*early(), *recent()]
    assert estimate(messages) > 160_000
    took = []
    for _ in range(5):
        start = time.perf_counter()
        pipeline(messages, NOON + 90)
        took.append(time.perf_counter() - start)
    assert min(took) < 0.05
