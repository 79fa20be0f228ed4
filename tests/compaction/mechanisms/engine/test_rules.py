from __future__ import annotations

import pytest

from compaction.mechanisms.engine.rules import ARTICLES, Rules, rules_of


@pytest.mark.parametrize(
    ("client", "name"),
    [
        ("2.1.325", "version 2.1.325"),
        ("2.1.400", "version 2.1.327, the nearest recorded to 2.1.400"),
        ("2.1.100", "version 2.1.90, the nearest recorded to 2.1.100"),
        ("1.0.30", "version 2.0.76, the nearest recorded to 1.0.30"),
        ("", "the articles, as no record names the version of the client"),
    ],
)
def test_the_rules_of_a_session_are_those_of_its_client_or_of_the_nearest_recorded_version(
    client: str, name: str
) -> None:
    assert rules_of(Rules.SESSION, client).name == name


def test_rules_can_be_chosen() -> None:
    assert rules_of(Rules.ARTICLES, "2.1.325") == ARTICLES
    assert rules_of(Rules.V2_1_90, "2.1.325").name == "version 2.1.90"


def test_newer_clients_keep_the_last_answer() -> None:
    assert [str(rules) for rules in Rules if rules_of(rules, "2.0.76").keeps_last_round] == [
        "2.1.160",
        "2.1.197",
        "2.1.325",
        "2.1.327",
    ]
