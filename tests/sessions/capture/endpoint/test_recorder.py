from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessions.capture.endpoint.recorder import Recorder
from sessions.capture.endpoint.recording import MemoryBudget, Recording
from sessions.capture.endpoint.spool import Spool
from sessions.capture.endpoint.upstream import BadUpstreamError, Upstream
from sessions.capture.engine import Ending, Exchange, UnreadableExchangeError
from tests.serving import PATIENCE
from tests.sessions.capture.endpoint.rawserver import raw_server, whole
from tests.sessions.capture.proxying import between, body_of, post, proxying

BODY = json.dumps({"model": "claude-test", "messages": []}).encode()


def recorded(recorder: Recorder, *chunks: bytes) -> Recording:
    recording = recorder.begin("POST", "/v1/messages", [], is_recorded=True)
    for chunk in chunks:
        recording.add_request_chunk(chunk)
    recording.end(Ending.COMPLETE)
    recorder.finish(recording)
    assert recorder.drain(PATIENCE)
    return recording


def test_a_folder_that_cannot_be_written_costs_the_recording_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "captures").write_text("in the way")
    with between(lambda taken: whole(taken.body), tmp_path) as (_, proxy):
        assert body_of(proxy.ask(post("/capture/v1/messages", BODY))) == BODY
        assert proxy.exchanges() == []
        counts = proxy.recorder.counts
        assert (counts.forwarded, counts.written, counts.lost_count) == (1, 0, 1)
        assert proxy.recorder.spool.waiting().files == 0
        assert list(counts.lost) == ["It could not be written (file exists)."]
        (tmp_path / "captures").unlink()
        proxy.ask(post("/capture/v1/messages", BODY))
        assert len(proxy.exchanges(2)) == 1


def test_a_full_disk_leaves_no_half_file(tmp_path: Path) -> None:
    recorder = Recorder(Spool(tmp_path / "captures", max_waiting_bytes=0))
    recorded(recorder, b"a")
    assert recorder.counts.written == 1
    recorded(recorder, b"b")
    assert (recorder.counts.written, recorder.counts.lost_count) == (1, 1)
    assert len(list((tmp_path / "captures").iterdir())) == 1


def test_a_request_that_is_too_large_is_handed_on_unrecorded(tmp_path: Path) -> None:
    recorder = Recorder(Spool(tmp_path / "captures"), budget=MemoryBudget(1000))
    body = b"x" * 5000
    with (
        raw_server(lambda taken: whole(taken.body)) as upstream,
        proxying(upstream.url, tmp_path, recorder=recorder) as proxy,
    ):
        assert body_of(proxy.ask(post("/capture/v1/messages", body))) == body
        assert proxy.exchanges() == []
        assert recorder.counts.lost_count == 1
        # What it held is free again.
        proxy.ask(post("/capture/v1/messages", b"x" * 300))
        assert len(proxy.exchanges(2)) == 1


def test_the_memory_of_recordings_is_given_back(tmp_path: Path) -> None:
    budget = MemoryBudget(1000)
    recorder = Recorder(Spool(tmp_path / "captures"), budget=budget)
    for _ in range(10):
        recorded(recorder, b"x" * 900)
    assert recorder.counts.written == 10
    assert budget.take(1000)


def test_a_recording_may_have_a_limit_of_its_own(tmp_path: Path) -> None:
    recording = Recording("POST", "/v1/messages", [], MemoryBudget(), max_bytes=10)
    recording.add_request_chunk(b"x" * 8)
    recording.add_answer_chunk(b"x" * 8)
    assert recording.lost
    assert recording.exchange().request == b""


def test_a_file_that_was_cut_off_is_noticed(tmp_path: Path) -> None:
    recorder = Recorder(Spool(tmp_path / "captures"))
    recorded(recorder, b"x" * 5000)
    (path,) = recorder.spool.files()
    data = path.read_bytes()
    assert Exchange.of_bytes(data).request == b"x" * 5000
    for broken in (b"", data[:-1], data[:20], b"\0" * 100, data[::-1]):
        with pytest.raises(UnreadableExchangeError):
            Exchange.of_bytes(broken)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://api.anthropic.com", "https://api.anthropic.com"),
        ("https://API.example.com:443/", "https://api.example.com"),
        ("http://127.0.0.1:4000/anthropic/", "http://127.0.0.1:4000/anthropic"),
        ("http://[::1]:4000", "http://[::1]:4000"),
    ],
)
def test_an_upstream_is_an_address(address: str, shown: str) -> None:
    assert str(Upstream.of(address)) == shown


@pytest.mark.parametrize(
    "address",
    [
        "",
        "api.anthropic.com",
        "ftp://x",
        "https://",
        "https://a:b@x",
        "https://x/?key=1",
        "http://x:99999",
        "http://a b",
    ],
)
def test_what_is_no_address_of_an_api_is_refused(address: str) -> None:
    with pytest.raises(BadUpstreamError):
        Upstream.of(address)
