"""From files on disk to rows: what is found in a session, and what it costs to look again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from structlog.testing import capture_logs

from compaction.cache.selectors.breaks import breaks_of, is_scan_due, sessions_due, sessions_with_new_drops
from compaction.cache.selectors.tab import CacheTab
from compaction.cache.services.scan import cache_scan, cache_scan_stale
from compaction.models import CacheBreak, CacheScan
from sessions.capture.services.captures import capture_store
from sessions.imports.services.sync import sync
from sessions.models import Transcript
from tests.compaction.cache.cached_session import Cached
from tests.compaction.cache.engine.request_bodies import HAIKU, HEADER, MARK, SONNET, SYSTEM, TOOLS, tool
from tests.sessions.capture.capturing import exchange, message, request

pytestmark = pytest.mark.django_db


@pytest.fixture
def session(tmp_path: Path) -> Cached:
    return Cached(project=tmp_path / "projects" / "-home-dev-tidewatch")


def _breaks(written: Cached) -> list[CacheBreak]:
    transcript = written.read()
    cache_scan(transcript=transcript)
    return list(breaks_of(transcript))


def _causes(row: CacheBreak) -> list[str]:
    return [cause["name"] for cause in row.causes]


def test_tools_that_changed_are_found_with_their_size_and_place(session: Cached) -> None:
    session.warm().tools = (*TOOLS, tool("mcp__tides__lookup"))
    session.asks(0, 51_000)
    (row,) = _breaks(session)
    assert _causes(row) == ["tools_changed"]
    assert row.causes[0]["size"]["added"] == 1
    assert row.divergence["path"] == "tools[4]"
    assert (row.previous_read, row.read, row.written, row.expected) == (50_000, 0, 51_000, False)
    assert row.wasted == 50_500
    assert row.cost == pytest.approx(50_500 * 4e-6 * (1.25 - 0.05))
    assert row.exactness == "recorded"


def test_a_system_block_that_changed_on_resume_is_found_to_the_byte(session: Cached) -> None:
    session.warm().system = (SYSTEM[0], SYSTEM[1].replace("guess", "ever guess", 1))
    session.asks(1_500, 49_500, after=2)
    (row,) = _breaks(session)
    assert _causes(row) == ["system_prompt_changed"]
    assert (row.divergence["path"], row.divergence["offset"]) == ("system[1]", len("Never "))
    assert row.causes[0]["size"]["added"] == len("ever ")


def test_names_that_no_database_takes_are_told_as_far_as_they_go(session: Cached) -> None:
    session.warm().tools = (*TOOLS, tool("mcp__HALF__NUL__lookup"))
    session.asks(0, 51_000)
    path = session.save(session.path.parent, session.path.stem)
    path.write_bytes(path.read_bytes().replace(b"HALF", rb"\ud800").replace(b"NUL", rb"\u0000"))
    sync([session.project], workers=1)
    cache_scan_stale()
    sentence = CacheBreak.objects.get().causes[0]["sentence"]
    assert sentence == "The tools changed: 1 added (mcp__\ufffd__\ufffd__lookup)."


@pytest.mark.parametrize(("minutes", "hour", "cause"), [(6, False, "ttl_expired_5m"), (61, True, "ttl_expired_1h")])
def test_a_pause_longer_than_the_marks_live_is_found(session: Cached, minutes: int, hour: bool, cause: str) -> None:
    session.mark = {"type": "ephemeral", **({"ttl": "1h"} if hour else {})}
    session.warm().asks(0, 51_000, after=minutes)
    (row,) = _breaks(session)
    assert _causes(row) == [cause]
    assert row.gap is not None
    assert minutes * 60_000 < row.gap < minutes * 60_000 + 10_000


@pytest.mark.parametrize(("minutes", "hour"), [(4, False), (58, True)])
def test_a_shorter_pause_is_not_the_cause(session: Cached, minutes: int, hour: bool) -> None:
    session.mark = {"type": "ephemeral", **({"ttl": "1h"} if hour else {})}
    session.warm().asks(0, 51_000, after=minutes)
    assert _causes(_breaks(session)[0]) == ["likely_server_side"]


def test_the_lifetime_counts_from_the_start_of_a_request_and_not_from_its_answer(session: Cached) -> None:
    session.asks(0, 50_000)
    session.user("Take your time.")
    session.logs_request({"role": "user", "content": [{"type": "text", "text": "Take your time."}]})
    session.clock += 4 * 60_000
    session.assistant(
        "It took four minutes.", message="msg_slow", usage=session.usage(50_000, 500), model=session.model
    )
    session.sent.append({"role": "assistant", "content": [{"type": "text", "text": "It took four minutes."}]})
    session.asks(0, 51_000, after=2)
    (row,) = _breaks(session)
    assert _causes(row) == ["ttl_expired_5m"]


def test_effort_that_changed_is_found(session: Cached) -> None:
    session.warm().params = {**session.params, "output_config": {"effort": "high"}}
    session.asks(20_000, 31_000)
    assert _causes(_breaks(session)[0]) == ["effort_changed"]


def test_another_model_is_found_and_so_is_haiku(session: Cached) -> None:
    session.warm().model = SONNET
    session.asks(0, 50_500)
    session.asks(50_500, 500)
    session.model = HAIKU
    session.asks(0, 51_000)
    rows = _breaks(session)
    assert [_causes(row) for row in rows] == [["model_changed"], ["model_changed"]]
    assert [row.model for row in rows] == [SONNET, HAIKU]


def test_a_compaction_resets_the_baseline(session: Cached) -> None:
    session.warm().compacts("We talked about harbours.")
    session.sent = [{"role": "user", "content": [{"type": "text", "text": "We talked about harbours."}]}]
    session.asks(15_000, 3_000)
    (row,) = _breaks(session)
    assert (_causes(row), row.expected, row.wasted) == (["compaction"], True, 0)
    assert Transcript.objects.get().cache_breaks == 0


def test_a_rewind_that_reads_what_it_shares_is_expected(session: Cached) -> None:
    session.asks(0, 30_000)
    leaf = session.leaf
    session.asks(30_000, 20_000)
    session.asks(50_000, 500)
    session.goes_back(2, leaf)
    session.asks(30_000, 700, words="Something else. " * 20)
    (row,) = _breaks(session)
    assert (_causes(row), row.expected, row.wasted) == (["rewind"], True, 0)


def test_a_session_without_a_log_is_unknown_and_says_what_is_missing(session: Cached) -> None:
    session.logs = False
    session.warm().asks(15_000, 36_000)
    (row,) = _breaks(session)
    assert _causes(row) == ["unknown"]
    assert row.exactness == "reconstructed"
    assert any("System prompt and tools" in reason for reason in row.missing)


def test_the_apis_diagnosis_is_kept_and_a_disagreement_flagged(session: Cached) -> None:
    session.warm().tools = TOOLS[1:]
    session.asks(0, 51_000)
    reason = {"type": "messages_changed", "cache_missed_input_tokens": 50_500}
    session.records[-1]["message"]["diagnostics"] = {"cache_miss_reason": reason}
    (row,) = _breaks(session)
    assert row.server["reason"] == "messages_changed"
    assert row.agrees is False
    assert _causes(row) == ["tools_changed"]


def test_sub_agents_are_sources_of_their_own_and_belong_to_their_session(session: Cached) -> None:
    agent = Cached(project=session.project, agent="a1b2c3d4e5f60718a", session=session.session)
    agent.warm(upto=9_000)
    agent.tools = TOOLS[1:]
    agent.asks(0, 10_000)
    agent.save(agent.path.parent, agent.path.stem)
    session.warm().asks(50_500, 500)
    (row,) = _breaks(session)
    assert (row.agent, row.session.kind, row.transcript.kind) == ("a1b2c3d4e5f60718a", "main", "agent")
    assert _causes(row) == ["tools_changed"]
    assert Transcript.objects.get(kind="main").cache_breaks == 1
    assert CacheScan.objects.get().totals["requests"] == 6


def test_a_fork_goes_on_from_what_it_copied_and_is_not_charged_for_it(session: Cached) -> None:
    session.warm().tools = TOOLS[1:]
    session.asks(0, 51_000)
    session.asks(51_000, 400)
    fork = Cached(project=session.project, session="99999999-2222-4333-8444-555555555555")
    fork.records = [{**record, "sessionId": fork.session} for record in session.records]
    fork.leaf, fork.count, fork.clock = session.leaf, 500, session.clock
    fork.sent, fork.tools, fork.turn_count = list(session.sent), session.tools, 50
    fork.asks(0, 52_000, after=10)
    fork.save(fork.path.parent, fork.path.stem)
    session.read()
    cache_scan_stale()
    mine, theirs = (Transcript.objects.get(session_id=item.session) for item in (session, fork))
    assert [_causes(row) for row in breaks_of(mine)] == [["tools_changed"]]
    assert [_causes(row) for row in breaks_of(theirs)] == [["ttl_expired_5m"]]
    assert CacheScan.objects.get(transcript=theirs).totals["requests"] == 1


def test_an_answer_that_counts_its_prompt_twice_is_no_peak_to_fall_from(session: Cached) -> None:
    session.asks(0, 50_000)
    session.asks(100_500, 700)
    passes = [
        {"type": "message", "input_tokens": 1, "cache_read_input_tokens": read, "cache_creation_input_tokens": 350}
        for read in (50_000, 50_350)
    ]
    session.records[-1]["message"]["usage"]["iterations"] = passes
    session.asks(50_700, 400)
    assert _breaks(session) == []
    transcript = Transcript.objects.get()
    assert len(CacheScan.objects.get().dismissed) == 1
    assert cache_scan(transcript=transcript).compared == 0
    assert sessions_with_new_drops([transcript.pk]) == set()


def _captured(session: Cached, name: str, messages: int, header: str, tools: tuple[dict[str, Any], ...]) -> None:
    """What a recording endpoint saw of a request: with the header that the client's own log leaves out."""
    system: list[dict[str, Any]] = [{"type": "text", "text": HEADER.format(header)}]
    system += [{"type": "text", "text": item, "cache_control": MARK} for item in SYSTEM]
    body = request(*session.sent[:messages], system=system, tools=list(tools))
    capture_store(exchange=exchange(body, message(name)))


def test_captures_that_arrive_later_explain_what_was_unknown(session: Cached) -> None:
    session.logs = False
    session.asks(0, 50_000)
    before, after = session.asks(50_000, 500), session.asks(0, 51_000)
    (row,) = _breaks(session)
    assert _causes(row) == ["unknown"]
    transcript = Transcript.objects.get()
    text = [{"role": "user", "content": [{"type": "text", "text": f"{index}. " * 300}]} for index in range(5)]
    session.sent = text
    _captured(session, before, 3, "a1", TOOLS)
    _captured(session, after, 5, "b2", TOOLS[1:])
    assert is_scan_due(transcript)
    assert sessions_due() == [transcript.pk]
    second = cache_scan(transcript=transcript)
    (row,) = breaks_of(transcript)
    assert second.compared == 1
    assert (_causes(row), row.exactness, row.also) == (["tools_changed"], "recorded", [])
    assert not is_scan_due(transcript)
    assert cache_scan(transcript=transcript).written == 0


def _asks_with(session: Cached, tier: str, overage: str) -> str:
    """A request that was captured, with the word of the API on the quota."""
    name = session.asks(50_000 if tier == "auto" else 0, 500 if tier == "auto" else 51_000)
    system = [{"type": "text", "text": item, "cache_control": MARK} for item in SYSTEM]
    body = request(*session.sent[:-1], system=system, tools=list(TOOLS), service_tier=tier)
    quota = [("anthropic-ratelimit-unified-overage-in-use", overage), ("set-cookie", "secret")]
    capture_store(exchange=exchange(body, message(name), answer_headers=quota))
    return name


def test_the_quota_and_other_parameters_of_captured_requests_are_held_against_each_other(session: Cached) -> None:
    session.logs = False
    session.asks(0, 50_000)
    session.sent = [{"role": "user", "content": [{"type": "text", "text": "How high?"}]}]
    _asks_with(session, "auto", "false")
    session.sent.append({"role": "user", "content": [{"type": "text", "text": "And tomorrow?"}]})
    _asks_with(session, "standard_only", "true")
    (row,) = _breaks(session)
    assert _causes(row) == ["parameters_changed"]
    assert 'service_tier from "auto" to "standard_only"' in row.causes[0]["sentence"]
    assert [cause["name"] for cause in row.also] == ["overage_changed"]
    assert not CacheTab(Transcript.objects.get(), 0).is_due


@pytest.mark.parametrize("by_prompt", [True, False])
def test_a_switch_to_auto_mode_is_found_in_the_records_of_the_client(session: Cached, by_prompt: bool) -> None:
    session.warm()
    before = len(session.records)
    session.state("permission-mode", permissionMode="default")
    session.asks(50_500, 500)
    if not by_prompt:
        session.state("permission-mode", permissionMode="auto")
    session.asks(1_500, 50_000)
    if by_prompt:
        typed = next(record for record in reversed(session.records[before:]) if record["type"] == "user")
        typed["permissionMode"] = "auto"
    (row,) = _breaks(session)
    assert _causes(row) == ["auto_mode_changed"]


def test_each_break_is_logged_once_and_without_what_was_said(session: Cached) -> None:
    session.warm().tools = (*TOOLS, tool("mcp__secret__lookup"))
    name = session.asks(0, 51_000)
    with capture_logs() as logs:
        _breaks(session)
        cache_scan(transcript=Transcript.objects.get())
    (event,) = [log for log in logs if log["event"] == "cache_break"]
    assert event["message_id"] == name
    assert (event["causes"], event["confidence"], event["expected"]) == (["tools_changed"], "high", False)
    assert (event["previous_read"], event["read"], event["wasted"]) == (50_000, 0, 50_500)
    assert event["cost_usd"] == CacheBreak.objects.get().cost
    assert "secret" not in str(event)


def test_looking_again_writes_nothing_and_compares_nothing(session: Cached) -> None:
    session.warm().tools = TOOLS[1:]
    session.asks(0, 51_000)
    session.asks(51_000, 300)
    transcript = session.read()
    first, second = cache_scan(transcript=transcript), cache_scan(transcript=transcript)
    assert (first.compared, first.written) == (1, 3)
    assert (second.breaks, second.compared, second.written) == (1, 0, 0)
    assert not is_scan_due(transcript)


def test_a_session_that_grew_is_due_and_only_what_is_new_is_compared(session: Cached) -> None:
    session.warm().tools = TOOLS[1:]
    session.asks(0, 51_000)
    session.asks(51_000, 300)
    transcript = session.read()
    cache_scan(transcript=transcript)
    session.model = SONNET
    session.asks(0, 52_000)
    session.read()
    transcript.refresh_from_db()
    assert sessions_due() == [transcript.pk]
    assert sessions_with_new_drops([transcript.pk]) == {transcript.pk}
    second = cache_scan(transcript=transcript)
    assert (second.breaks, second.compared) == (2, 1)
    assert sessions_due() == []
    assert sessions_with_new_drops([transcript.pk]) == set()


def test_a_diagnosis_that_comes_late_is_taken_up(session: Cached) -> None:
    """The answer was still being written when it was first looked at."""
    session.logs = False
    session.warm().asks(15_000, 36_000)
    (row,) = _breaks(session)
    assert _causes(row) == ["unknown"]
    message: dict[str, Any] = {**session.records[-1]["message"], "content": [{"type": "text", "text": "And more."}]}
    message["diagnostics"] = {"cache_miss_reason": {"type": "system_changed", "cache_missed_input_tokens": 1}}
    message["usage"] = {**message["usage"], "output_tokens": 90}
    session.row("assistant", message=message, requestId=session.records[-1]["requestId"])
    (row,) = _breaks(session)
    assert _causes(row) == ["system_prompt_changed"]


def test_what_is_no_break_any_more_is_removed(session: Cached) -> None:
    session.warm().tools = TOOLS[1:]
    session.asks(0, 51_000)
    (row,) = _breaks(session)
    transcript = Transcript.objects.get()
    transcript.request_set.filter(message_id=row.message_id).update(cache_read=50_500)
    assert cache_scan(transcript=transcript).written == 3
    assert not CacheBreak.objects.exists()
    transcript.refresh_from_db()
    assert transcript.cache_breaks == 0


def test_a_session_without_drops_decodes_nothing(session: Cached) -> None:
    session.warm()
    for index in range(30):
        session.asks(50_500 + index * 300, 300)
    transcript = session.read()
    with CaptureQueriesContext(connection) as queries:
        cache_scan(transcript=transcript)
    assert not any("transcripts_block" in query["sql"] for query in queries.captured_queries)
    assert len(queries) <= 14


def test_which_sessions_are_due_takes_as_many_queries_for_many_as_for_one(session: Cached) -> None:
    for number in range(5):
        other = Cached(project=session.project, session=f"{number}1111111-2222-4333-8444-555555555555")
        other.warm().save(other.path.parent, other.path.stem)
    sync([session.project], workers=1)
    with CaptureQueriesContext(connection) as queries:
        assert len(sessions_due()) == 5
    assert len(queries) == 4
