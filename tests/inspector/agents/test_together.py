from __future__ import annotations

from collections.abc import Iterator
from threading import Event

import pytest

from inspector.agents.choosing import choose_model
from inspector.agents.errors import UnauthorisedError
from inspector.agents.model import Ask, LanguageModel, Progress, Reply, TextArrived
from inspector.agents.together import Answered, AnsweredModel, ask_together
from tests.asking import models
from tests.inspector.agents.server import Answer, Fail, MessagesServer, Received, Say, messages_server

PATIENCE = 0.5
"""Seconds in which requests that do not wait for their turn would have come."""


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with messages_server() as state:
        yield state


@pytest.fixture
def model(server: MessagesServer) -> LanguageModel:
    model = choose_model(models(server)).model
    assert model is not None
    return model


def ask(words: str) -> Ask:
    return Ask("claude-opus-5-5", ({"role": "user", "content": words},))


def words_of(request: Received) -> str:
    return str(request.json["messages"][0]["content"])


def test_the_others_begin_when_the_first_begins_to_answer_and_each_keeps_its_place(
    server: MessagesServer, model: LanguageModel
) -> None:
    others, early = Event(), []

    def answer(request: Received) -> Answer:
        if words_of(request) == "first":
            early.append(others.wait(PATIENCE))
        else:
            others.set()
        return Fail(401) if words_of(request) == "refused" else Say(f"Answer to {words_of(request)}")

    server.otherwise = answer
    events: list[Progress] = []
    first = Ask("claude-opus-5-5", ({"role": "user", "content": "first"},), listener=events.append)
    answers = ask_together(model, [first, ask("second"), ask("refused")])
    assert early == [False]
    outcomes = [answered.outcome for answered in answers]
    texts = [outcome.text for outcome in outcomes if isinstance(outcome, Reply)]
    assert texts == ["Answer to first", "Answer to second"]
    assert isinstance(outcomes[2], UnauthorisedError)
    assert [answered.ask.messages[0]["content"] for answered in answers] == ["first", "second", "refused"]
    assert any(isinstance(progress, TextArrived) for progress in events)


def test_if_the_first_fails_the_others_are_asked_all_the_same(server: MessagesServer, model: LanguageModel) -> None:
    server.otherwise = lambda request: Fail(401) if words_of(request) == "first" else Say("Well.")
    first, second = ask_together(model, [ask("first"), ask("second")])
    assert isinstance(first.outcome, UnauthorisedError)
    assert isinstance(second.outcome, Reply)
    assert ask_together(model, []) == ()


def test_an_answer_is_given_once_and_then_the_model_is_asked(server: MessagesServer, model: LanguageModel) -> None:
    server.answer(Say("late"))
    reply = Reply(({"type": "text", "text": "early"},))
    answered = AnsweredModel(model, Answered(ask("x"), reply, 0.0, 0.0))
    assert (answered.name, answered.verbatim) == (model.name, True)
    assert [answered.ask(ask("y")).text for _ in range(2)] == ["early", "late"]
    assert len(server.requests) == 1
    with pytest.raises(UnauthorisedError):
        AnsweredModel(model, Answered(ask("x"), UnauthorisedError("No."), 0.0, 0.0)).ask(ask("y"))
