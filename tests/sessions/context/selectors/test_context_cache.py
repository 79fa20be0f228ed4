"""A context that is kept is given again while nothing changed that it is made of, and never after that."""

from __future__ import annotations

from pathlib import Path

import pytest
import zstandard
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions.archive.engine.damage import ArchiveDamageError
from sessions.archive.engine.file_prints import print_of
from sessions.capture.services.captures import capture_store
from sessions.context.engine import Context
from sessions.context.selectors import context_cache
from sessions.context.selectors.context_cache import cached_context
from sessions.context.selectors.contexts import ContextPoint, load_context, point_next, point_of_request
from sessions.models import Block, Entry, Transcript
from tests.sessions.archive.rotting import rot, without_hashes
from tests.sessions.capture.capturing import exchange, message, request
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db
LAST = "msg_last"


@pytest.fixture
def file(tmp_path: Path) -> Written:
    written = Written(project=tmp_path / "projects" / "-home-dev-kelp", session="55555555-2222-4333-8444-555555555555")
    written.turns(3)
    written.user("And the wind?")
    written.assistant("North-west.", message=LAST)
    return written


def last(transcript: Transcript) -> ContextPoint:
    return point_of_request(transcript, LAST)[1]


def words(context: Context) -> str:
    return str([element.to_api() for element in context.elements])


def again(transcript: Transcript, point: ContextPoint) -> Context:
    """What is given; it is always what would be made now."""
    given = cached_context(transcript, point)
    assert words(given) == words(load_context(transcript, point))
    return given


def test_a_context_is_given_again_with_no_more_queries_than_it_takes_to_make_it(file: Written) -> None:
    transcript = file.read()
    for point in (last(transcript), point_next(transcript)):
        with CaptureQueriesContext(connection) as first:
            loaded = cached_context(transcript, point)
        with CaptureQueriesContext(connection) as second:
            assert cached_context(transcript, point) is loaded
        assert 0 < len(second) <= len(first)


def test_every_point_has_a_context_of_its_own(file: Written) -> None:
    transcript = file.read()
    assert again(transcript, last(transcript)) is not again(transcript, point_next(transcript))
    points = [ContextPoint(entry.position + 1, entry.uuid_key) for entry in Entry.objects.order_by("pk")]
    assert len({words(again(transcript, point)) for point in points}) > 3


def test_what_is_sent_next_holds_a_record_that_was_appended(file: Written) -> None:
    transcript = file.read()
    cached_context(transcript, point_next(transcript))
    file.user("Rain at six")
    transcript = file.read()
    assert "Rain at six" in words(again(transcript, point_next(transcript)))


def test_a_request_holds_what_was_written_behind_its_answer_and_belongs_before_it(file: Written) -> None:
    late = "00000000-0000-4000-8000-0000000001a7"
    before = file.leaf
    file.assistant("At six.", message="msg_late", parent=late)
    transcript = file.read()
    _, point = point_of_request(transcript, "msg_late")
    first = words(again(transcript, point))
    with CaptureQueriesContext(connection) as taken:
        cached_context(transcript, point)
    file.user("When does it rain?", parent=before, uuid=late)
    transcript = file.read()
    with CaptureQueriesContext(connection) as queries:
        second = words(cached_context(transcript, point))
    assert "When does it rain?" not in first
    assert "When does it rain?" in second
    assert len(queries) <= len(taken) + 1
    assert words(again(transcript, point)) == second


def test_a_row_that_was_changed_changes_the_context(file: Written) -> None:
    transcript = file.read()
    point = point_next(transcript)
    cached_context(transcript, point)
    prompt = Entry.objects.filter(type="user").order_by("pk")[2]
    Entry.objects.filter(parent_key=prompt.uuid_key).update(parent_key=prompt.parent_key)
    loaded = load_context(transcript, point)
    assert prompt.position not in loaded.positions
    assert cached_context(transcript, point).positions == loaded.positions


def test_a_boundary_that_the_session_learns_of_changes_the_context(file: Written) -> None:
    transcript = file.read()
    point = last(transcript)
    first = cached_context(transcript, point)
    transcript.ruler = {**transcript.ruler, "boundaries": [2]}
    assert cached_context(transcript, point) is not first
    transcript.version = "2.1.100"
    assert cached_context(transcript, point) is not first


def test_damage_is_reported_although_the_context_was_kept_and_a_repair_gives_it_back(file: Written) -> None:
    transcript = file.read()
    point = last(transcript)
    first = words(cached_context(transcript, point))
    file.path.unlink()
    before = rot(transcript.source, 0)
    with pytest.raises(ArchiveDamageError):
        cached_context(transcript, point)
    Block.objects.update(data=before)
    assert words(cached_context(transcript, point)) == first


def test_a_block_with_other_content_changes_the_context_although_the_rows_are_the_same(file: Written) -> None:
    transcript = file.read()
    point = point_next(transcript)
    cached_context(transcript, point)
    (block,) = Block.objects.all()
    raw = zstandard.ZstdDecompressor().decompressobj().decompress(bytes(block.data))
    changed = raw.replace(b"North-west.", b"South-east.")
    frame = zstandard.ZstdCompressor().compress(changed)
    Block.objects.update(data=frame, content_hash=print_of(changed), frame_hash=print_of(frame))
    assert "South-east." in words(again(transcript, point))


def test_what_no_hash_proves_is_not_kept(file: Written) -> None:
    transcript = file.read()
    without_hashes()
    point = point_next(transcript)
    assert cached_context(transcript, point) is not cached_context(transcript, point)


def test_a_new_capture_takes_the_place_of_what_was_kept(file: Written) -> None:
    transcript = file.read()
    assert again(transcript, last(transcript)).exactness == "reconstructed"
    body = request({"role": "user", "content": "As it was sent"})
    capture_store(exchange=exchange(body, message(LAST)))
    point = last(transcript)
    assert point.capture is not None
    captured = again(transcript, point)
    assert captured.exactness == "recorded"
    assert cached_context(transcript, point) is not captured


def test_contexts_are_few_and_bounded(file: Written) -> None:
    transcript = file.read()
    for number in range(2 * context_cache.MAX_BYTES // context_cache.MIN_BYTES):
        cached_context(transcript, ContextPoint(transcript.entries, number))
    assert context_cache.contexts.size <= context_cache.MAX_BYTES
