"""The demo adds up: what the API is said to have counted follows from what the records hold, to the token."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from pytest_django.plugin import DjangoDbBlocker

from compaction.cache.selectors.breaks import breaks_of, scan_of
from compaction.cache.services.scan import cache_scan_stale
from sessions.context.selectors.contexts import load_contexts
from sessions.models import Request, Transcript
from sessions.usage.engine.tokens import Limits
from sessions.weights.engine.sizes import sizes_of
from sessions.weights.selectors import prompt_tokens, weigh
from sessions.weights.services.weighing import transcript_weigh
from tests.demo import names
from tests.demo.reading import Record, blocks, records, usages
from tests.demo.story import head
from tests.demo.story.accounts import head_tokens, tokens_of
from tests.importing import imported

pytestmark = pytest.mark.django_db

OPUS, SONNET = "claude-opus-5-5", "claude-sonnet-4-5-20250929"
LABELS = names.labels()
HEADS = {
    "survey/constants": head_tokens(head.WORKER, OPUS),
    "survey/constants/table four": head_tokens(head.WORKER, OPUS),
    "survey/heights": head_tokens(head.READER, "claude-haiku-5-5"),
    "survey/note": head_tokens(head.WORKER, OPUS),
    "old": head_tokens(head.OLD, SONNET),
    "sibling": head_tokens(head.OLD, SONNET),
    "sibling/largest": head_tokens(head.OLD_AGENT, SONNET),
}
HEAD = head_tokens(head.SESSION, OPUS)
WITH_TIDES = head_tokens(head.SESSION.with_tool("mcp__tides__lookup"), OPUS)
WITHOUT_TOOLS = {"fork", "old", "sibling", "sibling/largest", "odd"}
"""No record of these holds the tools."""


@pytest.fixture(scope="module", autouse=True)
def _imported(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with imported(django_db_blocker, names.ROOT), django_db_blocker.unblock():
        cache_scan_stale()
        yield


def transcript(label: str) -> Transcript:
    return Transcript.objects.get(source__path=str(names.expected(label).path))


@pytest.mark.parametrize("label", LABELS)
def test_every_request_is_explained_to_the_token(label: str) -> None:
    """Nothing is in no record, and what stands before the messages weighs what the builder put there."""
    file = transcript(label)
    requests = {request.message_id: request for request in Request.objects.filter(transcript=file)}
    table = transcript_weigh(transcript=file)
    weighed = 0
    for context in load_contexts(file):
        request = requests[context.request]
        sizes = sizes_of(context, weigh(context, table, prompt_tokens(request)))
        shares = {share.category.value: share.tokens or 0 for share in sizes.shares}
        assert sum(shares.values()) == sizes.total == sizes.counted == prompt_tokens(request), context.request
        assert sizes.unrecorded == 0, context.request
        before = sum(shares.get(name, 0) for name in ("head", "system", "tools"))
        assert abs(before - HEADS.get(label, HEAD)) <= 3, context.request
        assert (shares.get("head", 0) > 0) == (label in WITHOUT_TOOLS), context.request
        weighed += 1
    inline = 2 if label == "old" else 0  # the rows of a sub-agent in the file of its session
    assert weighed == len(requests) - inline > 0


@pytest.mark.parametrize("label", LABELS)
def test_an_answer_weighs_what_it_is_said_to_have_cost(label: str) -> None:
    rows = records(names.expected(label).path)
    for name, usage in usages(rows).items():
        answer = {row["uuid"]: row for row in rows if (row.get("message") or {}).get("id") == name}
        content = [block for row in answer.values() for block in blocks(row)]
        model = next(iter(answer.values()))["message"]["model"]
        assert usage["output_tokens"] == sum(tokens_of(block, model, answer=True) for block in content), name


def _boundary(label: str, name: str) -> tuple[Record, Record, Record, list[Record]]:
    """What the boundary says, the usages of the requests before and after it, and the rows since the first of them."""
    rows = records(names.expected(label).path)
    position = names.point(label, name).position
    before, after = usages(rows[:position]), usages(rows[position:])
    first, last = list(before.items())[-1]
    (following, *_) = (usage for message, usage in after.items() if message not in before)
    begin = next(index for index, row in enumerate(rows) if (row.get("message") or {}).get("id") == first)
    since = [row for row in rows[begin:position] if row["type"] == "user"]
    return rows[position]["compactMetadata"], last, following, since


def prompt(usage: Record) -> int:
    keys = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return sum(usage[key] for key in keys)


@pytest.mark.parametrize(
    ("label", "name", "before", "model"),
    [
        ("long", "auto boundary", WITH_TIDES, OPUS),
        ("long", "manual boundary", WITH_TIDES, OPUS),
        ("fork", "fork manual boundary", HEAD, OPUS),
        ("sibling", "sibling boundary", HEADS["sibling"], SONNET),
    ],
)
def test_a_boundary_agrees_with_the_requests_around_it(label: str, name: str, before: int, model: str) -> None:
    metadata, last, following, since = _boundary(label, name)
    results = sum(tokens_of(block, model) for row in since for block in blocks(row))
    assert metadata["preTokens"] == prompt(last) + last["output_tokens"] + results
    added = prompt(following) - before - metadata["postTokens"]
    assert added == 0 if metadata["trigger"] == "auto" else 0 < added < 1_500  # the next prompt, and what comes with it


def _set(label: str, pattern: str) -> float:
    """What the person says that they have set."""
    rows = (row for row in records(names.expected(label).path) if row["type"] == "user")
    texts = (row["message"]["content"] for row in rows)
    (value,) = {match[1] for words in texts if isinstance(words, str) and (match := re.search(pattern, words))}
    return float(value)


@pytest.mark.parametrize(
    ("label", "name", "since", "limits"),
    [
        ("long", "auto boundary", "residuals", lambda: Limits(int(_set("long", r"window at (\d+)k") * 1000))),
        ("sibling", "sibling boundary", "sibling resumed", lambda: Limits(percent=_set("sibling", r" to ([\d.]+)%"))),
    ],
)
def test_auto_compaction_comes_when_its_threshold_is_reached_and_not_before(
    label: str, name: str, since: str, limits: Callable[[], Limits]
) -> None:
    threshold = limits().threshold
    rows = records(names.expected(label).path)[names.point(label, since).position : names.point(label, name).position]
    request = [prompt(usage) for usage in usages(rows).values()]
    assert max(request) < threshold <= _boundary(label, name)[0]["preTokens"]


def test_cleared_results_free_what_they_weighed() -> None:
    rows = records(names.expected("long").path)
    position = names.point("long", "cleared results").position
    metadata = rows[position]["microcompactMetadata"]
    before = list(usages(rows[:position]).values())[-1]
    after = next(iter(usages(rows[position:]).values()))
    (result,) = blocks(rows[names.point("long", "block port hallow 3 result").position])
    assert metadata["preTokens"] == prompt(before) + before["output_tokens"] + tokens_of(result, OPUS)
    assert prompt(after) == metadata["preTokens"] - metadata["tokensSaved"]
    assert metadata["tokensSaved"] > 8_000


BREAKS = {
    "long": {
        "tools changed": "tools_changed",
        "commit": "compaction",
        "plans alerts.0": "model_changed",
        "write alert tests": "ttl_expired_5m",
        "third party edit": "model_changed",
        "skill": "model_changed",
        "fake key": "ttl_expired_5m",
        "reads skerry point 1": "cache_deletion",
        "reads gull haven 3": "compaction",
    },
    "fork": {"fork edit": "ttl_expired_5m", "fork edit back": "compaction"},
    "cleared": {
        "effort changed": "effort_changed",
        "out of sight": "lookback_exceeded",
        "system prompt changed": "system_prompt_changed",
        "lost on the server": "likely_server_side",
    },
    "sibling": {"reads readme": "ttl_expired_5m"},
}
"""Every break that the story has, by the record of its request."""


def _message_at(label: str, position: int) -> str:
    return str(records(names.expected(label).path)[position]["message"]["id"])


@pytest.mark.parametrize("label", LABELS)
def test_the_cache_breaks_where_the_story_breaks_it_and_for_that_reason(label: str) -> None:
    file = transcript(label)
    broken = {stored.message_id: stored.cause for stored in breaks_of(file) if stored.transcript_id == file.pk}
    story = BREAKS.get(label, {})
    assert broken == {_message_at(label, names.point(label, name).position): cause for name, cause in story.items()}


@pytest.mark.parametrize("label", [label for label in LABELS if "/" not in label])
def test_no_advice_costs_more_than_what_was_paid(label: str) -> None:
    scan = scan_of(transcript(label))
    assert scan is not None
    paid, ttl, pruning = scan.totals["cost"], scan.advice["ttl"], scan.advice["pruning"]
    assert scan.totals["cost_best"] <= paid + 1e-9
    assert scan.totals["wasted_cost"] <= paid
    assert all((clearing["cost"] or 0) <= paid for clearing in pruning["clearings"])
    assert 0 <= (ttl["saves"] or 0) <= paid
    if ttl["better"] != ttl["used"]:
        assert min(ttl["cost_5m"], ttl["cost_1h"]) == pytest.approx(paid - ttl["saves"])
