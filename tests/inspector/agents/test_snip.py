from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.agents.anthropic_model import AnthropicModel
from inspector.agents.loop import AgentEnd, AgentOutcome, run_agent
from inspector.agents.model import Ask
from inspector.agents.retrying import Retries
from inspector.agents.snip import Snip, Snipped, short_id
from inspector.agents.tools import Readable, Toolbox, reading_tools
from tests.inspector.agents.server import Call, MessagesServer, Say, messages_server

ASK = Ask("claude-test", ({"role": "user", "content": [{"type": "text", "text": "Look around."}]},), system="You look.")


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with messages_server() as running:
        yield running


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text("nothing of interest\n")
    (tmp_path / "b.md").write_text("the tide table\n")
    return tmp_path


def run(server: MessagesServer, root: Path, snip: Snip) -> AgentOutcome:
    model = AnthropicModel(server.key, base_url=server.url, retries=Retries(attempts=1))
    return run_agent(model, ASK, Toolbox([*reading_tools(Readable((root,))), snip]), snip=snip)


def reads(name: str, call: str) -> Say:
    return Say(calls=[Call("Read", {"file_path": name}, call)])


def snips(*ids: str, reason: str = "It led nowhere.") -> Say:
    return Say(calls=[Call("Snip", {"ids": list(ids), "reason": reason}, "s1")])


def sent(server: MessagesServer, number: int) -> list[Any]:
    messages: list[Any] = server.requests[number].json["messages"]
    return messages


def test_a_round_is_named_behind_its_results_and_left_out_once_it_is_snipped(
    server: MessagesServer, root: Path
) -> None:
    server.answer(reads("a.md", "t1"), reads("b.md", "t2"), snips(short_id("t1")), Say("Done."))
    outcome = run(server, root, Snip())
    assert outcome.ended is AgentEnd.FINISHED
    assert outcome.snipped == (Snipped((short_id("t1"),), "It led nowhere."),)
    assert f"[id:{short_id('t1')}]" in str(sent(server, 1))
    assert "nothing of interest" in str(sent(server, 2))
    last = json.dumps(sent(server, 3))
    assert "nothing of interest" not in last
    assert "the tide table" in last
    assert [message["role"] for message in sent(server, 3)] == ["user", "assistant", "user", "assistant", "user"]
    # The conversation itself keeps all of it, and no tag.
    assert "nothing of interest" in str(outcome.messages)
    assert "[id:" not in str(outcome.messages)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"ids": ["zzzzzz"], "reason": "x"}, "No round has the id zzzzzz."),
        ({"ids": [], "reason": "x"}, "`ids` must be a list of ids."),
        ({"ids": ["a"], "reason": " "}, "`reason` must say why"),
        ({"ids": "a", "reason": "x"}, "`ids` must be a list of ids."),
    ],
)
def test_what_makes_no_sense_is_explained_to_the_model(
    server: MessagesServer, root: Path, arguments: dict[str, Any], words: str
) -> None:
    server.answer(reads("a.md", "t1"), Say(calls=[Call("Snip", arguments, "s1")]), Say("Done."))
    outcome = run(server, root, Snip())
    assert words in str(sent(server, 2))
    assert outcome.snipped == ()


def test_nothing_goes_where_later_thoughts_are_bound_to_it(server: MessagesServer, root: Path) -> None:
    server.answer(reads("a.md", "t1"), Say(thinking="Hm.", calls=[Call("Read", {"file_path": "b.md"}, "t2")]))
    server.answer(snips(short_id("t1")), Say("Done."))
    outcome = run(server, root, Snip())
    assert "what was thought later is bound to it" in str(sent(server, 3))
    assert outcome.snipped == ()


def test_the_model_is_reminded_when_its_prompt_has_grown(server: MessagesServer, root: Path) -> None:
    usages = [{"input_tokens": tokens, "output_tokens": 5} for tokens in (1_000, 9_000, 12_000, 13_000)]
    server.answer(
        *(Say(calls=[Call("Read", {"file_path": "a.md"}, f"t{n}")], usage=usages[n]) for n in range(4)), Say("Done.")
    )
    outcome = run(server, root, Snip())
    reminders = ["has grown by about 11,000 tokens" in str(sent(server, number)[-1]) for number in range(5)]
    assert reminders == [False, False, False, True, False]
    assert str(outcome.messages).count("has grown by about") == 1
