"""Directories that no agent would write: odd names, links, pipes, and files that change under the reader's hands."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from sessions.archive.selectors.records import Reader
from sessions.imports.engine.discovery import discover, make_candidate
from sessions.imports.services.import_lock import ImportLock
from sessions.imports.services.plan import Planner
from sessions.imports.services.report import Progress
from sessions.imports.services.sync import sync, sync_files
from sessions.imports.services.writer import WriteCounts
from sessions.models import Source, Transcript
from sessions.transcripts.engine.paths import decode_path, encode_path
from tests.serving import lucid
from tests.sessions.crawling import FAR_OR_NEAR, crawl
from tests.sessions.hostile import NAMES
from tests.sessions.writing import Writing, append

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "config" / "projects" / "-home-dev-tidewatch"
    folder.mkdir(parents=True)
    return folder


def config(project: Path) -> Path:
    return project.parents[1]


def good(project: Path, number: int = 1) -> Path:
    """A transcript as it should be: it must be read whatever lies beside it."""
    return Writing(session=f"{number:08d}-1111-4333-8444-555555555555").turns(2).save(project)


def archived(source: Source) -> bytes:
    return Reader(source.pk).read(0, source.archived)


@FAR_OR_NEAR
def test_any_name_of_a_file_is_imported_and_has_a_page(client: Client, project: Path, most: int | None) -> None:
    lines = b"".join(Writing().turns(1).lines())
    for name in NAMES:
        Path(os.fsdecode(os.fsencode(project) + b"/" + name + b".jsonl")).write_bytes(lines)

    report = sync([config(project)])

    assert (report.failed, report.skipped, report.files) == ([], [], len(NAMES))
    transcripts = list(Transcript.objects.select_related("source"))
    assert sorted(os.fsencode(decode_path(transcript.source.path)) for transcript in transcripts) == sorted(
        os.fsencode(project) + b"/" + name + b".jsonl" for name in NAMES
    )
    assert all(archived(transcript.source) == lines and transcript.entries == 4 for transcript in transcripts)
    assert all(len(transcript.session_id) <= 200 and transcript.public_id.strip(".") for transcript in transcripts)
    roots = [f"/sessions/{_quoted(transcript.public_id)}/" for transcript in transcripts]
    seen = crawl(client, ["/sessions/", *(roots if most else [])], most=most)
    assert all(seen[root] == 200 for root in roots)
    assert sync([config(project)]).rows_written == 0


def _quoted(public_id: str) -> str:
    return reverse("transcript-detail", args=[public_id]).split("/")[2]


def test_names_that_are_not_utf8_are_kept_as_text_and_opened_as_they_were() -> None:
    name = os.fsdecode(b"/home/andr\xe9/caf\xff.jsonl")
    text = encode_path(name)
    assert text.encode("utf-8")
    assert os.fsencode(decode_path(text)) == b"/home/andr\xe9/caf\xff.jsonl"
    assert encode_path("/home/dev/plain.jsonl") == "/home/dev/plain.jsonl"


@pytest.mark.usefixtures("ready_home")
def test_a_home_whose_name_is_not_utf8_is_read_grows_and_is_found_by_the_command_line(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/andr\xe9/projects/-home-dev-x"))
    writing = Writing().turns(1)
    path = writing.save(folder)
    assert sync([folder.parents[1]]).entries == 4
    writing.user("More")
    append(path, writing.records[-1])
    assert len(sync_files([path])) == 1
    path.unlink()
    sync([folder.parents[1]])
    assert Source.objects.get().state == Source.State.VANISHED

    writing.save(folder)
    home = tmp_path / "home"
    result = lucid(home, "import", str(folder.parents[1]), "--json")
    assert json.loads(result.stdout)["entries"] == 5
    assert json.loads(lucid(home, "requests", str(path), "--json").stdout)
    assert "andr" in lucid(home, "import", str(folder / "nothing"), "--json").stderr


@pytest.mark.usefixtures("ready_home")
def test_nothing_that_a_terminal_obeys_is_printed(tmp_path: Path, project: Path) -> None:
    writing = Writing()
    writing.user("\x1b]0;owned\x07\x1b[2J harbour \x9b31m \u202e")
    writing.assistant("harbour \x1b[31mred", message="\x1b[31m", model="\x1b[2J")
    path = writing.save(project, "\x1b[31m")
    os.symlink("/etc/hostname", project / "\x1b[5m.jsonl")
    home = tmp_path / "home"
    text = [lucid(home, "import", str(config(project))), lucid(home, "sessions"), lucid(home, "search", "harbour")]
    text += [lucid(home, "requests", str(path)), lucid(home, "search", "harbour", "--deep")]
    # The import ends with a line about the link that it does not follow.
    assert [done.returncode for done in text] == [1, 0, 0, 0, 0], [done.stderr for done in text]
    for done in text:
        assert "\x1b" not in done.stdout + done.stderr
        assert "\x9b" not in done.stdout + done.stderr


def test_links_are_not_followed_out_of_the_directory(project: Path, tmp_path: Path) -> None:
    outside = Writing().turns(1).save(tmp_path / "elsewhere" / "p")
    inside = good(project)
    (project / "file.jsonl").symlink_to(outside)
    (project / "folder").symlink_to(outside.parent, target_is_directory=True)
    (project / "same.jsonl").symlink_to(inside)
    (project / "loop").symlink_to(project, target_is_directory=True)
    (project / "nowhere.jsonl").symlink_to(tmp_path / "nothing")
    (project / "zero.jsonl").symlink_to("/dev/zero")

    report = sync([config(project)])

    assert [source.path for source in Source.objects.all()] == [str(inside)]
    assert sorted(Path(failure.split(":")[0]).name for failure in report.failed) == ["file.jsonl", "folder"]
    assert all("links are not followed" in failure for failure in report.failed)
    assert sync([config(project)]).rows_written == 0


def test_a_link_that_was_asked_for_by_name_is_followed(project: Path, tmp_path: Path) -> None:
    good(project)
    (tmp_path / "link").symlink_to(config(project), target_is_directory=True)
    (tmp_path / "one.jsonl").symlink_to(good(project, 2))
    assert sync([tmp_path / "link"]).entries == 16
    assert sync([tmp_path / "one.jsonl"]).entries == 8


@pytest.mark.usefixtures("ready_home")
def test_pipes_sockets_and_directories_with_the_name_of_a_transcript_do_not_stop_the_import(
    project: Path, tmp_path: Path
) -> None:
    good(project)
    os.mkfifo(project / "pipe.jsonl")
    (project / "folder.jsonl").mkdir()
    good(project / "folder.jsonl", 2)
    agents = project / "00000001-1111-4333-8444-555555555555" / "subagents"
    Writing(session="00000001-1111-4333-8444-555555555555").turns(1).save(agents, "agent-abc")
    os.mkfifo(agents / "agent-abc.meta.json")
    results = agents.parent / "tool-results"
    results.mkdir()
    os.mkfifo(results / "b1.txt")
    os.mknod(project / "socket.jsonl", stat.S_IFSOCK | 0o600)
    result = lucid(tmp_path / "home", "import", str(config(project)), "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["entries"] == 8 + 8 + 4
    request = lucid(tmp_path / "home", "import", str(project / "pipe.jsonl"))
    assert (request.returncode, request.stderr.count("\n")) == (1, 1)
    assert "is neither a file nor a directory" in request.stderr


@contextmanager
def somebody_else() -> Iterator[None]:
    """Root may read everything, so the tests look at it as nobody does."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_what_may_not_be_read_is_named_and_the_rest_is_found(project: Path) -> None:
    for folder in (project, *project.parents[:6]):
        folder.chmod(folder.stat().st_mode | 0o055)
    good(project)
    locked = project.with_name("-locked")
    good(locked, 2)
    locked.chmod(0)
    with somebody_else():
        items = list(discover([config(project)]))
    locked.chmod(0o700)
    assert [(item.path, item.refusal) for item in items if item.refusal] == [(str(locked), "permission denied")]
    assert [Path(item.path).parent for item in items if not item.refusal] == [project]


def test_sessions_in_a_directory_that_cannot_be_read_now_have_not_vanished(project: Path) -> None:
    for folder in (project, *project.parents[:6]):
        folder.chmod(folder.stat().st_mode | 0o055)
    good(project)
    sync([config(project)])
    project.chmod(0)
    with somebody_else():
        items = list(discover([config(project)]))
    project.chmod(0o700)
    plan = Planner(WriteCounts(), lock=ImportLock()).plan(items, [config(project)])
    assert plan.failed == [f"{project}: permission denied"]
    assert Source.objects.get().state == Source.State.PRESENT


def test_files_that_go_between_being_found_and_being_read_are_named(project: Path) -> None:
    first, second, third = (good(project, number).rename(project / f"copy-{number}.jsonl") for number in (1, 2, 3))
    items = list(discover([config(project)]))
    first.unlink()
    second.unlink()
    second.mkdir()
    plan = Planner(WriteCounts(), lock=ImportLock()).plan(items, [config(project)])
    assert sorted(Path(failure.split(":")[0]).name for failure in plan.failed) == [first.name, second.name]
    assert [Path(job.path) for job in plan.jobs] == [third]


@FAR_OR_NEAR
def test_files_that_go_while_they_are_read_do_not_harm_the_others(
    client: Client, project: Path, most: int | None
) -> None:
    paths = [good(project, number) for number in range(1, 5)]
    whole = paths[3].read_bytes()

    def meddle(progress: Progress) -> None:
        if paths[0].is_file():
            paths[0].unlink()
            paths[1].unlink()
            paths[1].mkdir()
            os.truncate(paths[2], 100)

    report = sync([config(project)], listener=meddle, workers=1)

    assert len(report.failed) == 2
    assert archived(Source.objects.get(path=str(paths[3]))) == whole
    crawl(client, ["/", "/sessions/"], most=most)
    second = sync([config(project)])
    assert second.failed == []
    assert archived(Source.objects.get(path=str(paths[2]), state=Source.State.PRESENT)) == paths[2].read_bytes()


@FAR_OR_NEAR
def test_empty_and_almost_empty_files_are_sessions_without_entries(
    client: Client, project: Path, most: int | None
) -> None:
    for name, data in {
        "a": b"",
        "b": b"\n\n \n",
        "c": b"\0" * 5_000,
        "d": b"\xef\xbb\xbf",
        "e": b"{}\n",
        "f": b"[",
    }.items():
        (project / f"{name}.jsonl").write_bytes(data)
    good(project)

    report = sync([config(project)])

    assert report.failed == []
    assert Transcript.objects.get(public_id="00000001-1111-4333-8444-555555555555").entries == 8
    roots = [f"/sessions/{name}/" for name in "ab"]
    seen = crawl(client, ["/", "/sessions/", *(roots if most else [])], most=most)
    assert set(roots) <= {page for page, status in seen.items() if status == 200}
    assert sync([config(project)]).rows_written == 0


def test_a_thousand_projects_are_no_problem(client: Client, project: Path) -> None:
    for number in range(1_000):
        writing = Writing(session=f"{number:08d}-1111-4333-8444-555555555555")
        writing.user("One line", cwd="/" + "d/" * (number % 500))
        writing.save(project.with_name(f"-p{number}"))
    assert sync([config(project)]).entries == 1_000
    for page in ("/", "/sessions/", "/retention/", "/search/?q=line"):
        assert client.get(page, headers={"host": "localhost"}).status_code == 200
    assert sync([config(project)]).rows_written == 0


@pytest.mark.usefixtures("ready_home")
def test_a_directory_that_is_not_there_is_one_clear_sentence(tmp_path: Path) -> None:
    result = lucid(tmp_path / "home", "import", "--json", CLAUDE_CONFIG_DIR=str(tmp_path / "nothing"))
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == f"lucid: {tmp_path / 'nothing'} does not exist.\n"


def test_numbers_of_a_file_system_fit_into_the_database(project: Path) -> None:
    path = good(project)
    status = list(path.stat())
    status[1] = status[2] = 2**64 - 1
    candidate = make_candidate(str(path), os.stat_result(status, {"st_mtime_ns": 2**65}))
    plan = Planner(WriteCounts(), lock=ImportLock()).plan([candidate])
    assert len(plan.jobs) == 1
    assert Source.objects.get().inode == 2**63 - 1
