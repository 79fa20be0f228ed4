from __future__ import annotations

import os
from pathlib import Path

import pytest

from sessions.archive.selectors.records import Reader
from sessions.imports.services.sync import sync, sync_files
from sessions.models import Block, Entry, Oddity, Problem, Request, Source, Transcript, Turn
from sessions.search.selectors.indexed_search import search_index
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.flags import Flag
from tests.sessions.writing import Writing, append, line, named

pytestmark = pytest.mark.django_db(transaction=True)

OTHER = "22222222-2222-4333-8444-555555555555"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "config" / "projects" / "-home-dev-tidewatch"


def config(project: Path) -> Path:
    return project.parents[1]


def entries(transcript: Transcript) -> list[Entry]:
    base = transcript.pk << POSITION_BITS
    return list(Entry.objects.filter(pk__gte=base, pk__lte=base | POSITION_MASK).order_by("pk"))


def archived(source: Source) -> bytes:
    return Reader(source.pk).read(0, source.archived)


def test_it_imports_every_line_and_keeps_every_byte(project: Path) -> None:
    path = Writing().turns(30).save(project)

    report = sync([config(project)])

    assert (report.files, report.lines, report.entries, report.new_entries, report.bad_lines) == (1, 120, 120, 120, 0)
    transcript = Transcript.objects.get()
    assert transcript.public_id == "11111111-2222-4333-8444-555555555555"
    assert len(entries(transcript)) == transcript.entries == 120
    assert archived(transcript.source) == path.read_bytes()
    assert [entry.position for entry in entries(transcript)] == list(range(120))


def test_it_writes_nothing_when_nothing_changed(project: Path) -> None:
    Writing().turns(5).save(project)
    sync([config(project)])

    second = sync([config(project)])

    assert (second.rows_written, second.new_entries, second.entries) == (0, 0, 20)


def test_it_never_touches_a_source_file(project: Path) -> None:
    path = Writing().turns(2).save(project)
    path.chmod(0o400)
    before, status = path.read_bytes(), path.stat()

    sync([config(project)])
    sync([config(project)])

    after = path.stat()
    assert path.read_bytes() == before
    assert (after.st_mtime_ns, after.st_mode, after.st_size) == (status.st_mtime_ns, status.st_mode, status.st_size)


def test_appended_lines_cost_only_themselves(project: Path) -> None:
    writing = Writing().turns(20)
    path = writing.save(project)
    sync([config(project)])
    writing.user("And Dover?")
    append(path, writing.records[-1])

    report = sync([config(project)])

    assert report.new_entries == 1
    assert report.rows_written < 12
    transcript = Transcript.objects.get()
    assert (transcript.entries, transcript.turns) == (81, 21)
    assert archived(transcript.source) == path.read_bytes()


def test_the_quick_way_sees_what_was_appended(project: Path) -> None:
    writing = Writing().turns(3)
    path = writing.save(project)
    sync([config(project)])
    writing.assistant("Low water in Cuxhaven is at six.")
    append(path, writing.records[-1])

    touched = sync_files([path])

    transcript = Transcript.objects.get()
    assert touched == [transcript.pk]
    assert [hit.position for hit in search_index("cuxhaven").hits] == [12]


def test_a_line_that_is_still_being_written_is_read_when_it_is_whole(project: Path) -> None:
    writing = Writing().turns(2)
    writing.user("The last words")
    path = writing.save(project)
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])

    first = sync([config(project)])
    assert (first.lines, first.entries, first.bad_lines) == (9, 8, 1)
    assert Problem.objects.get().kind == "partial"
    assert archived(Source.objects.get()) == whole[:-40]

    path.write_bytes(whole)
    second = sync([config(project)])
    assert (second.lines, second.entries, second.bad_lines, second.new_entries) == (9, 9, 0, 1)
    assert not Problem.objects.exists()
    assert archived(Source.objects.get()) == whole


def test_a_last_line_without_a_line_end_is_read_if_it_is_whole(project: Path) -> None:
    writing = Writing().turns(1)
    path = writing.save(project)
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert sync([config(project)]).entries == 4

    writing.user("next")
    with path.open("ab") as file:
        file.write(b"\n" + line(writing.records[-1]))

    report = sync([config(project)])
    assert (report.entries, report.bad_lines) == (5, 0)


def test_a_rewritten_file_is_read_anew_and_the_earlier_version_stays(project: Path) -> None:
    path = Writing().turns(4).save(project)
    sync([config(project)])
    changed = Writing()
    changed.user("A wholly different beginning")
    changed.save(project)

    report = sync([config(project)])

    assert report.entries == 1
    current = Transcript.objects.exclude(source__state=Source.State.REPLACED).get()
    earlier = Transcript.objects.get(source__state=Source.State.REPLACED)
    assert (current.entries, earlier.entries) == (1, 16)
    assert current.public_id == "11111111-2222-4333-8444-555555555555"
    assert archived(current.source) == path.read_bytes()
    assert len(archived(earlier.source)) > len(path.read_bytes())


def test_a_truncated_file_is_noticed(project: Path) -> None:
    path = Writing().turns(4).save(project)
    sync([config(project)])
    path.write_bytes(b"\n".join(path.read_bytes().split(b"\n")[:4]) + b"\n")

    assert sync([config(project)]).entries == 4
    assert Transcript.objects.filter(source__state=Source.State.REPLACED).count() == 1


def test_a_change_in_the_middle_that_keeps_the_size_is_noticed(project: Path) -> None:
    path = Writing().turns(200).save(project)
    sync([config(project)])
    data = path.read_bytes()
    middle = data.index(b"harbour 100")
    path.write_bytes(data[:middle] + b"HARBOUR 100" + data[middle + 11 :])

    sync([config(project)])

    assert Source.objects.filter(state=Source.State.REPLACED).count() == 1


def test_a_file_that_was_only_touched_is_not_read_again(project: Path) -> None:
    path = Writing().turns(4).save(project)
    sync([config(project)])
    os.utime(path, (1, 1))

    report = sync([config(project)])

    assert report.new_entries == 0
    assert Source.objects.get().state == Source.State.PRESENT


def test_a_vanished_file_stays_readable(project: Path) -> None:
    path = Writing().turns(2).save(project)
    whole = path.read_bytes()
    sync([config(project)])
    path.unlink()

    sync([config(project)])

    source = Source.objects.get()
    assert source.state == Source.State.VANISHED
    assert archived(source) == whole
    path.write_bytes(whole)
    sync([config(project)])
    source.refresh_from_db()
    assert source.state == Source.State.PRESENT
    assert Transcript.objects.count() == 1


def test_a_moved_file_keeps_its_transcript(project: Path) -> None:
    path = Writing().turns(2).save(project)
    sync([config(project)])
    moved = project.with_name("-home-dev-elsewhere")
    moved.mkdir()
    path.rename(moved / path.name)

    report = sync([config(project)])

    assert report.new_entries == 0
    assert Transcript.objects.get().project.directory == str(moved)
    assert Transcript.objects.get().project.cwd == "/home/dev/tidewatch"


def test_usage_is_counted_once_per_message_with_the_largest_numbers(project: Path) -> None:
    writing = Writing()
    writing.user("Go")
    for output in (1, 7, 42):
        writing.assistant(
            f"part {output}", message="msg_one", output=output, usage={"input_tokens": 5, "output_tokens": output}
        )
    writing.assistant("by the client", message="x", model="<synthetic>", usage={"input_tokens": 0, "output_tokens": 0})
    writing.save(project)

    sync([config(project)])

    request = Request.objects.get()
    transcript = Transcript.objects.get()
    assert (request.input, request.output, request.position) == (5, 42, 1)
    assert (transcript.requests, transcript.input, transcript.output) == (1, 5, 42)
    assert Turn.objects.get(pk=transcript.pk << POSITION_BITS | 1).output == 42


def test_usage_that_grows_in_a_later_import_is_not_added_twice(project: Path) -> None:
    writing = Writing()
    writing.user("Go")
    writing.assistant("a", message="msg_one", usage={"input_tokens": 5, "output_tokens": 1})
    path = writing.save(project)
    sync([config(project)])
    writing.assistant("b", message="msg_one", usage={"input_tokens": 5, "output_tokens": 9})
    append(path, writing.records[-1])

    sync([config(project)])

    transcript = Transcript.objects.get()
    assert (transcript.requests, transcript.input, transcript.output) == (1, 5, 9)


def test_a_model_without_a_price_has_an_unknown_cost(project: Path) -> None:
    writing = Writing()
    writing.user("Go")
    writing.assistant("a", model="somebody-elses-model")
    writing.save(project)

    sync([config(project)])

    transcript = Transcript.objects.get()
    assert (transcript.cost, transcript.unpriced) == (0, 1)
    assert Request.objects.get().cost is None


@pytest.mark.parametrize("fork_first", [False, True])
def test_a_fork_copies_rows_that_the_earliest_file_owns(project: Path, fork_first: bool) -> None:
    origin = Writing().turns(3)
    fork = Writing(session=OTHER, clock=origin.clock, leaf=origin.leaf)
    fork.records = [{**record, "sessionId": OTHER} for record in origin.records]
    fork.user("Another way", uuid=named("fork"))
    fork.assistant("I see.")
    first, second = (fork, origin) if fork_first else (origin, fork)
    first.save(project)
    sync([config(project)])
    second.save(project)
    sync([config(project)])

    owner = Transcript.objects.get(public_id=origin.session)
    copy = Transcript.objects.get(public_id=OTHER)
    assert (copy.forked_from_id, copy.copies, owner.copies, owner.forked_from_id) in [
        (owner.pk, 12, 0, None),
        (owner.pk, 12, None, None),
    ]
    assert (owner.requests, copy.requests) == (6, 1)
    copied = [entry.position for entry in entries(copy) if entry.flags & Flag.COPY]
    assert copied == list(range(12))
    assert not any(entry.flags & Flag.COPY for entry in entries(owner))


def test_sub_agents_find_their_session_whichever_file_is_read_first(project: Path) -> None:
    main = Writing().turns(1)
    agent = Writing(session=main.session)
    agent.user("Look for gauges", isSidechain=True, agentId="a1b2c3d", uuid=named("agent"))
    agent.assistant("Found three.", isSidechain=True, agentId="a1b2c3d", message="msg_agent", uuid=named("agent 2"))
    agent.save(project / main.session / "subagents", "agent-a1b2c3d")
    sync([config(project)])
    main.save(project)
    sync([config(project)])

    child = Transcript.objects.get(kind=Transcript.Kind.AGENT)
    parent = Transcript.objects.get(kind=Transcript.Kind.MAIN)
    assert child.parent_id == parent.pk
    assert (child.requests, parent.requests) == (1, 2)
    assert Request.objects.get(transcript=child).agent == "a1b2c3d"


def test_spilled_output_is_archived_with_its_session(project: Path) -> None:
    main = Writing().turns(1)
    main.save(project)
    spilled = project / main.session / "tool-results" / "b123.txt"
    spilled.parent.mkdir(parents=True)
    spilled.write_bytes(b"tide gauge\n" * 60_000)

    sync([config(project)])

    source = Source.objects.get(kind=Source.Kind.RESULT)
    assert source.owner == Transcript.objects.get()
    assert archived(source) == spilled.read_bytes()
    assert Block.objects.count() == 3


def test_unknown_things_are_counted_and_never_fatal(project: Path) -> None:
    writing = Writing()
    writing.user("Hello", somethingNew=1)
    writing.state("brand-new-record", value=1)
    writing.state("brand-new-record", value=2)
    writing.records += [{"no": "type"}, {"type": ["list"]}, {"type": "user", "message": 7, "uuid": 5, "timestamp": {}}]
    writing.save(project)

    report = sync([config(project)])

    assert report.entries == 6
    assert report.unknown_types["brand-new-record"] == 2
    assert Oddity.objects.get(what="key", name="user.somethingNew").count == 1
    assert Oddity.objects.get(name="brand-new-record").first == 1


def test_broken_lines_are_recovered_and_reported(project: Path) -> None:
    writing = Writing().turns(2)
    lines = [record.rstrip(b"\n") for record in writing.lines()]
    data = b"\n".join([lines[0] + lines[1], b"\0" * 40 + lines[2], lines[3][:50] + lines[4], b"garbage", *lines[5:]])
    project.mkdir(parents=True)
    (project / "odd.jsonl").write_bytes(data + b"\n")

    report = sync([config(project)])

    transcript = Transcript.objects.get()
    assert (report.lines, report.bad_lines, report.entries, report.recovered_entries) == (7, 4, 3, 4)
    assert transcript.entries == len(entries(transcript)) == 7
    assert archived(transcript.source) == data + b"\n"
    reader = Reader(transcript.source_id)
    uuids = [reader.record(entry.offset, entry.length)["uuid"] for entry in entries(transcript)]
    assert uuids == [writing.records[number]["uuid"] for number in (0, 1, 2, 4, 5, 6, 7)]


def test_other_json_lines_files_are_left_alone(project: Path) -> None:
    Writing().turns(1).save(project)
    (project / "requests.jsonl").write_text('{"n": 1, "kind": "main"}\n')

    report = sync([config(project)])

    assert (report.files, [Path(path).name for path in report.skipped]) == (1, ["requests.jsonl"])
    assert Transcript.objects.count() == 1


def test_a_line_separator_inside_a_string_is_no_line_end(project: Path) -> None:
    writing = Writing()
    writing.user("one\u2028two\u2029three\u0085four")
    writing.save(project)

    assert sync([config(project)]).lines == 1


def test_a_very_long_line_is_read_across_stretches(project: Path) -> None:
    writing = Writing().turns(1)
    writing.user("x" * 9_000_000 + " needle at the end")
    writing.turns(1)
    path = writing.save(project)

    assert sync([config(project)]).entries == 9
    assert archived(Source.objects.get()) == path.read_bytes()
    assert search_index("needle").hits[0].position == 4


def test_two_files_of_one_name_get_addresses_of_their_own(project: Path, tmp_path: Path) -> None:
    Writing().turns(1).save(project)
    Writing().turns(2).save(project.with_name("-home-dev-copy"))

    sync([config(project)])

    ids = set(Transcript.objects.values_list("public_id", flat=True))
    assert ids == {"11111111-2222-4333-8444-555555555555", "11111111-2222-4333-8444-555555555555~2"}
