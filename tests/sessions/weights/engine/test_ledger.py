"""What is measured of a conversation whose real weights are known, because the test makes them up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sessions.weights.engine import Basis, Count, Ledger, Part, Sizing, Weight, features_of

MODEL = "claude-opus-4-6"
HEAD = 20_000


class Talk:
    """A conversation as the API would count it: every block has a real weight, and some may be in no record."""

    def __init__(self, model: str = MODEL, head: int = HEAD) -> None:
        self.model, self.head = model, head
        self.ledger = Ledger()
        self.blocks: list[tuple[Part, int]] = []
        self.unrecorded = 0
        self.read = 0
        self.requests = 0

    def say(self, name: str, tokens: int, text: str = "", kind: str = "tool_result", answer: str = "") -> None:
        words = text or "ab " * tokens
        block: dict[str, Any] = {
            "type": kind,
            {"tool_result": "content", "thinking": "thinking"}.get(kind, "text"): words,
        }
        self.blocks.append((Part(name, features_of(block, answer=bool(answer)), answer), tokens))

    def ask(
        self, *, output: int = 0, thought: int = 0, counted: int | None = None, server: bool = False
    ) -> Sizing | None:
        """A request with all that was said, and an answer of so many tokens."""
        self.requests += 1
        request = f"answer {self.requests}"
        prompt = self.head + self.unrecorded + sum(tokens for _, tokens in self.blocks)
        times = 2 if server else 1
        count = Count(
            self.requests,
            request,
            self.model,
            prompt * times,
            self.read,
            output + thought if counted is None else counted,
        )
        sizing = self.ledger.feed(count, [part for part, _ in self.blocks])
        self.read = prompt
        if thought:
            self.say(f"thought {self.requests}", thought, kind="thinking", answer=request)
        if output:
            self.say(request, output, kind="text", answer=request)
            if server:
                part, tokens = self.blocks[-1]
                self.blocks[-1] = (part._replace(server_call=True), tokens)
        return sizing

    def weights(self) -> dict[Any, Weight]:
        self.ledger.finish()
        return self.ledger.weights


def difference(weights: dict[Any, Weight], names: Sequence[str], tokens: int) -> float:
    return abs(sum(weights[name].tokens for name in names) - tokens)


def test_a_result_between_two_requests_weighs_exactly_what_the_api_counted_more() -> None:
    talk = Talk()
    talk.say("prompt", 50)
    talk.ask(output=40)
    talk.say("result", 1_234)
    talk.ask(output=10)
    weights = talk.weights()
    assert (round(weights["result"].tokens, 6), weights["result"].basis) == (1_234, Basis.MEASURED)
    assert weights["answer 1"] == Weight(40, Basis.MEASURED)


def test_results_that_came_together_share_what_was_counted_by_their_length() -> None:
    talk = Talk()
    talk.say("prompt", 50)
    talk.ask(output=40)
    talk.say("short", 300)
    talk.say("long", 900)
    talk.ask(output=10)
    weights = talk.weights()
    assert difference(weights, ["short", "long"], 1_200) < 1e-6
    assert {weights["short"].basis, weights["long"].basis} == {Basis.APPORTIONED}
    assert abs(weights["long"].tokens / weights["short"].tokens - 3) < 0.3


def test_the_head_is_what_the_first_request_counted_beyond_its_messages() -> None:
    talk = Talk()
    talk.say("prompt", 100)
    talk.ask(output=10)
    sizing = talk.ledger.finish()
    assert sizing is not None
    assert abs(sizing.head.tokens - HEAD) < 100
    assert sizing.named == HEAD + 100


def test_the_parts_of_every_request_add_up_to_its_count() -> None:
    talk = Talk()
    talk.say("prompt", 80)
    sizings = [talk.ask(output=30)]
    for number in range(20):
        talk.say(f"result {number}", 100 + 37 * number)
        sizings.append(talk.ask(output=20 + number))
    sizings.append(talk.ledger.finish())
    known = [sizing for sizing in sizings if sizing is not None]
    assert len(known) == 21
    assert max(abs(sizing.named + sizing.unrecorded - sizing.count.prompt) for sizing in known) < 1e-6


def test_the_next_size_is_predicted_better_the_more_was_measured() -> None:
    talk = Talk()
    talk.say("prompt", 80)
    talk.ask(output=30)
    errors = []
    for number in range(30):
        talk.say(f"result {number}", 2_000, text="abcd " * 1_000)
        sizing = talk.ask(output=20)
        if sizing is not None and sizing.predicted is not None:
            errors.append(abs(sizing.predicted - sizing.count.prompt))
    assert errors[-1] < 0.2 * errors[0]


def test_reminders_in_no_record_are_named_as_such_and_do_not_make_a_result_heavier() -> None:
    talk = Talk()
    talk.say("prompt", 80)
    talk.ask(output=30)
    talk.say("result", 500)
    talk.unrecorded = 8_000
    talk.ask(output=10)
    sizing = talk.ledger.finish()
    assert sizing is not None
    assert sizing.unrecorded > 6_000
    assert talk.ledger.weights["result"].tokens < 2_000


def test_tools_that_came_with_a_cold_cache_make_the_head_heavier() -> None:
    talk = Talk()
    talk.say("prompt", 80)
    talk.ask(output=30)
    talk.head += 9_000
    talk.read = 0
    talk.say("again", 60)
    talk.ask(output=10)
    sizing = talk.ledger.finish()
    assert sizing is not None
    assert sizing.unrecorded == 0
    assert abs(sizing.head.tokens - HEAD - 9_000) < 500


def test_thoughts_of_a_turn_that_is_over_lose_their_weight() -> None:
    talk = Talk()
    talk.say("prompt", 80)
    talk.ask(output=30, thought=4_000)
    talk.say("result", 500)
    talk.ask(output=20)
    talk.say("next prompt", 60)
    talk.blocks = [(part, 0 if part.key == "thought 1" else tokens) for part, tokens in talk.blocks]
    talk.ask(output=10)
    weights = talk.weights()
    assert weights["thought 1"].tokens < 100
    assert abs(weights["result"].tokens - 500) < 1e-6


def test_a_count_from_the_beginning_of_the_stream_is_not_taken_for_the_answer() -> None:
    talk = Talk()
    talk.say("prompt", 80)
    talk.ask(output=900, counted=1)
    talk.say("result", 300)
    talk.ask(output=10)
    weights = talk.weights()
    assert difference(weights, ["answer 1", "result"], 1_200) < 1e-6
    assert weights["answer 1"].basis is Basis.APPORTIONED


def test_a_prompt_that_a_server_tool_had_counted_twice_moves_no_weight() -> None:
    talk = Talk()
    talk.say("prompt", 80)
    talk.ask(output=30)
    talk.say("result", 400)
    talk.ask(output=50, server=True)
    talk.say("another", 600)
    talk.ask(output=10)
    weights = talk.weights()
    assert difference(weights, ["result", "another"], 1_000) < 1_000
    assert weights["another"].tokens < 1_600


def test_another_tokenizer_makes_every_weight_an_estimate_again() -> None:
    talk = Talk()
    talk.say("prompt", 1_000)
    talk.ask(output=30)
    talk.say("result", 1_000)
    talk.ask(output=10)
    talk.model = "claude-opus-5"
    talk.say("more", 10)
    talk.ask(output=10)
    weights = talk.weights()
    assert weights["result"].basis is Basis.ESTIMATED
    assert 1_000 < weights["result"].tokens < 2_000


def test_what_a_compaction_took_away_weighs_nothing_and_its_summary_what_was_counted() -> None:
    talk = Talk()
    talk.say("prompt", 80)
    talk.ask(output=30)
    for number in range(5):
        talk.say(f"result {number}", 5_000)
        talk.ask(output=20)
    talk.blocks = []
    talk.say("summary", 700, kind="text")
    talk.ask(output=10)
    sizing = talk.ledger.finish()
    assert sizing is not None
    assert abs(talk.ledger.weights["summary"].tokens - 700) < 100
    assert sizing.predicted is not None
    assert abs(sizing.predicted - sizing.count.prompt) < 0.03 * sizing.count.prompt
