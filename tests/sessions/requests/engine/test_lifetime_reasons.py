from __future__ import annotations

from collections.abc import Sequence

import pytest

from sessions.requests.engine.lifetime_reasons import Asker, Written, lifetime_reasons, source_of
from sessions.requests.engine.sent_marks import CacheMark

SHORT, LONG, NOTHING = Written(100, 0), Written(0, 100), Written(0, 0)
MAIN = Asker("repl_main_thread", is_recorded=True)


def reasons(ttl: str, asker: Asker, history: Sequence[Written] = ()) -> str:
    marks = [CacheMark("system[1]", ttl), CacheMark("messages[4].content[0]", ttl)]
    (reason,) = lifetime_reasons(marks, asker, history)
    assert reason.paths == ("system[1]", "messages[4].content[0]")
    assert reason.title == {"5m": "Five minutes", "1h": "One hour"}[ttl]
    return " ".join(reason.sentences)


def test_an_hour_names_the_entry_of_the_list_and_that_the_account_is_eligible() -> None:
    words = reasons("1h", MAIN)
    assert "Its source repl_main_thread is on the list of those that may ask for an hour (repl_main_thread*)." in words
    assert "the account is eligible" in words
    assert "Its answer tells of such a quota." in reasons("1h", Asker("sdk", overage=False))


def test_an_hour_that_outlives_its_quota_says_that_the_first_decision_stands() -> None:
    words = reasons("1h", Asker("sdk", overage=True), [LONG, LONG])
    assert "By now the quota of its subscription is used up" in words
    assert "with quota left" not in words


@pytest.mark.parametrize(
    ("asker", "words"),
    [
        (Asker("session_memory", is_recorded=True), "not on the list (repl_main_thread*, sdk, agent:*)"),
        (MAIN, "it had no subscription, or no quota left"),
        (Asker("sdk", overage=True), "the quota of its subscription is used up"),
        (Asker("sdk", overage=False), "the first decision stands"),
        (Asker("sdk", provider="Amazon Bedrock"), "Amazon Bedrock gives five minutes to those who did not opt in"),
        (Asker(), "No record names its source"),
    ],
)
def test_five_minutes_have_the_first_rule_that_denies_the_hour(asker: Asker, words: str) -> None:
    assert words in reasons("5m", asker)


def test_who_is_not_on_the_list_is_not_asked_for_an_account() -> None:
    assert "does not matter" in reasons("5m", Asker("session_memory", is_recorded=True))


def test_an_hour_against_the_list_says_that_the_list_is_another() -> None:
    assert "must be another" in reasons("1h", Asker("session_memory", is_recorded=True))


def test_bedrock_gives_an_hour_to_those_who_opted_in() -> None:
    assert "ENABLE_PROMPT_CACHING_1H_BEDROCK" in reasons("1h", Asker("sdk", provider="Amazon Bedrock"))


@pytest.mark.parametrize(
    ("history", "words"),
    [
        ([LONG, NOTHING, LONG], "since the first request"),
        ([SHORT, LONG, LONG], "since request 2. The request before wrote for five minutes"),
        ([SHORT, NOTHING, LONG], "since request 2."),
        ([LONG, Written(5, 100)], "What it wrote was counted for five minutes as well."),
    ],
)
def test_it_says_since_when_the_session_has_kept_to_it(history: list[Written], words: str) -> None:
    assert words in reasons("1h", MAIN, history)


def test_a_fork_of_lucid_shares_the_mark_of_what_it_continues() -> None:
    assert reasons("1h", Asker("sdk", copies="the request of msg_1"), [LONG]).startswith("It is a fork")


def test_two_lifetimes_have_a_reason_each() -> None:
    marks = [CacheMark("system[0]", "1h"), CacheMark("messages[0].content[0]", "5m"), CacheMark("x", "9y")]
    assert [reason.title for reason in lifetime_reasons(marks, MAIN, ())] == ["Five minutes", "One hour"]


@pytest.mark.parametrize(
    ("recorded", "headers", "is_subagent", "source"),
    [
        ("agent:builtin:Explore", {}, True, ("agent:builtin:Explore", True)),
        ("", {}, True, ("agent:…", False)),
        ("", {"x-claude-code-agent-id": "a1"}, False, ("agent:…", False)),
        ("", {"user-agent": "claude-cli/2.1.325 (external, cli)"}, False, ("repl_main_thread", False)),
        ("", {"user-agent": "claude-cli/2.1.325 (external, sdk-py)"}, False, ("sdk", False)),
        ("", {"user-agent": "curl/8"}, False, ("", False)),
    ],
)
def test_the_source_is_the_recorded_one_or_told_from_who_asks(
    recorded: str, headers: dict[str, str], is_subagent: bool, source: tuple[str, bool]
) -> None:
    assert source_of(recorded, headers, is_subagent=is_subagent) == source
