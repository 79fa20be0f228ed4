"""What explains a drop only if nothing nearer the key does: parameters, and what the client was in; and marks."""

from __future__ import annotations

import pytest

from compaction.cache.engine.requests.client_state import ClientState
from tests.compaction.cache.engine.request_bodies import (
    HEADER,
    SYSTEM,
    TOOLS,
    Json,
    SentRequest,
    also,
    broken,
    later,
    names,
)

HEAD = 2_700
"""About what system prompt and tools make of the 10,500 tokens of the later request."""


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ({}, {"service_tier": "standard_only"}, 'service_tier from nothing to "standard_only"'),
        ({"service_tier": "auto"}, {}, 'service_tier from "auto" to nothing'),
        (
            {"inference_geo": "eu", "beta": 1},
            {"inference_geo": "us", "beta": 2},
            "beta from 1 to 2; inference_geo from",
        ),
        ({"output_config": {"effort": "low"}}, {"output_config": {"effort": "low", "format": "json"}}, "output_config"),
        ({"container": {"id": "c" * 90}}, {"container": None}, "changed: container."),
    ],
)
def test_any_other_parameter_that_changed_is_the_cause(before: Json, after: Json, words: str) -> None:
    sent_request = SentRequest(params=before)
    cache_break = broken(sent_request, later(sent_request, params=after), read=HEAD)
    assert names(cache_break) == ["parameters_changed"]
    assert words in cache_break.causes[0].sentence
    assert cache_break.causes[0].confidence == "medium"
    assert cache_break.divergence is not None
    assert cache_break.divergence.part == "params"


def test_a_parameter_explains_nothing_that_something_nearer_the_key_explains() -> None:
    sent_request = SentRequest()
    cache_break = broken(sent_request, later(sent_request, params={"service_tier": "auto"}, tools=TOOLS[1:]), read=0)
    assert (names(cache_break), also(cache_break)) == (["tools_changed"], ["parameters_changed"])


@pytest.mark.parametrize(
    ("before", "after", "cause"),
    [
        (ClientState(auto_mode=False), ClientState(auto_mode=True), "auto_mode_changed"),
        (ClientState(overage=False), ClientState(overage=True), "overage_changed"),
        (ClientState(overage=True), ClientState(overage=False), "overage_changed"),
        (ClientState(), ClientState(auto_mode=True, overage=True), "likely_server_side"),
        (ClientState(auto_mode=True), ClientState(auto_mode=True), "likely_server_side"),
    ],
)
def test_a_switch_of_the_client_is_the_cause_where_both_sides_are_known(
    before: ClientState, after: ClientState, cause: str
) -> None:
    sent_request = SentRequest()
    assert names(broken(sent_request, later(sent_request), read=HEAD, states=(before, after))) == [cause]


def test_results_that_the_request_deletes_from_the_cache_make_the_drop_expected() -> None:
    sent_request = SentRequest()
    states = ClientState(cache_deletions=2), ClientState(cache_deletions=9)
    cache_break = broken(sent_request, later(sent_request), read=HEAD, states=states)
    assert names(cache_break) == ["cache_deletion"]
    assert "deleted 7 results from the cache" in cache_break.expected


def test_a_mark_behind_a_billing_header_is_named_by_its_place_in_the_request() -> None:
    sent_request = SentRequest(system=(HEADER.format("a1"), *SYSTEM))
    cache_break = broken(sent_request, later(sent_request, mark={"type": "ephemeral", "scope": "global"}), read=0)
    assert cache_break.causes[0].sentence == "The cache mark at system[1] changed from 5m to 5m, global."
    assert cache_break.divergence is not None
    assert (cache_break.divergence.part, cache_break.divergence.old.path, cache_break.divergence.new.path) == (
        "cache_control",
        "system[1]",
        "system[1]",
    )
