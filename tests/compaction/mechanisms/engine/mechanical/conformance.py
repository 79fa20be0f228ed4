"""Prints what a mechanical summary keeps of the rules, facts and wishes that compaction-conformance-kit plants in
sessions, beside the kit's own compactors: python -m tests.compaction.mechanisms.engine.mechanical.conformance"""

from __future__ import annotations

from collections.abc import Sequence

from compaction_kit import CompactedContext, Turn, run_budget_benchmark
from compaction_kit.cli import COMPACTORS

from compaction.mechanisms.engine.mechanical import MechanicalConfig, MechanicalSummariser
from sessions.transcripts.engine.messages import Message, MessageKind, text_block

BUDGETS = (0.1, 0.2, 0.3, 0.4)
SEEDS = (1, 2, 3, 4)
ROUNDS = 5
OURS = "mechanical summary"
_KINDS = {"user": MessageKind.PROMPT, "assistant": MessageKind.ANSWER, "tool": MessageKind.RESULT}


class MechanicalCompactor:
    """A mechanical summary, as the kit asks for it."""

    name = OURS

    def compact(self, turns: Sequence[Turn], round_num: int = 1, budget_chars: int = 30_000) -> CompactedContext:
        summariser = MechanicalSummariser(MechanicalConfig(most_characters=budget_chars, share=1.0))
        messages = [_message(number, turn, round_num) for number, turn in enumerate(turns)]
        return CompactedContext(summariser.text(messages), OURS, round_num)


def _message(number: int, turn: Turn, round_number: int) -> Message:
    """From the second round on, the only turn is the summary before."""
    kind = _KINDS.get(turn.role) or (MessageKind.SUMMARY if round_number > 1 else MessageKind.INJECTED)
    return Message(
        "assistant" if turn.role == "assistant" else "user", (text_block(turn.text),), kind, f"message-{number}"
    )


def survival() -> dict[float, dict[str, float]]:
    """Budget -> compactor -> the share of what was planted that the last round still holds; compactors that keep to
    their budget only."""
    report = run_budget_benchmark(
        {**COMPACTORS, OURS: MechanicalCompactor}, budgets=BUDGETS, seeds=SEEDS, rounds=ROUNDS
    )
    shares: dict[float, dict[str, float]] = {budget: {} for budget in BUDGETS}
    for entry in report["entries"]:
        if entry["budget_compliant"]:
            share = entry["randomized"]["overall_final_survival"]
            shares[entry["budget_fraction"]][entry["compactor"]] = share
    return shares


def main() -> None:
    shares = survival()
    print("| compactor | " + " | ".join(f"{budget:.0%}" for budget in BUDGETS) + " |")
    print("|---" * (len(BUDGETS) + 1) + "|")
    for name in (OURS, *COMPACTORS):
        print(f"| {name} | " + " | ".join(f"{shares[budget].get(name, 0):.0%}" for budget in BUDGETS) + " |")


if __name__ == "__main__":
    main()
