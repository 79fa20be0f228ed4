from __future__ import annotations

from pathlib import Path

import pytest

from sessions.imports.services.named_transcript import transcript_open
from sessions.models import Transcript
from sessions.transcripts.selectors.lookup import LookupFailedError
from tests.sessions.writing import Writing, append

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "config" / "projects" / "-home-dev-tidewatch"


def test_a_file_that_was_never_imported_is_read(project: Path) -> None:
    path = Writing().turns(2).save(project)
    assert transcript_open(name=str(path)).entries == 8


def test_what_was_appended_since_is_read_too(project: Path) -> None:
    writing = Writing().turns(2)
    path = writing.save(project)
    transcript_open(name=str(path))
    writing.user("And Dover?")
    append(path, writing.records[-1])
    assert transcript_open(name=str(path)).entries == 9


def test_the_sub_agents_of_the_file_are_read_with_it_and_no_other_session(project: Path) -> None:
    path = Writing().turns(1).save(project)
    Writing(session="22222222-2222-4333-8444-555555555555").turns(1).save(project)
    agent = project / path.stem / "subagents" / "agent-a1b2c3d.jsonl"
    agent.parent.mkdir(parents=True)
    agent.write_bytes(path.read_bytes())
    transcript = transcript_open(name=str(path))
    assert {item.kind for item in Transcript.objects.all()} == {"main", "agent"}
    assert transcript.children.count() == 1


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("gone.jsonl", "No transcript is known at .*gone.jsonl"),
        ("notes.jsonl", "notes.jsonl is no transcript: none of its first lines is a record of one."),
        ("folder.jsonl", "folder.jsonl is a directory. Give the transcript in it that you mean."),
    ],
)
def test_what_is_no_transcript_is_named(project: Path, name: str, reason: str) -> None:
    (project / "folder.jsonl").mkdir(parents=True)
    (project / "notes.jsonl").write_text('{"to": "do"}\n')
    with pytest.raises(LookupFailedError, match=reason):
        transcript_open(name=str(project / name))


def test_an_unclear_beginning_names_a_few_and_tells_of_the_others(project: Path) -> None:
    for number in range(6):
        path = Writing(session=f"3333333{number}-2222-4333-8444-555555555555").turns(1).save(project)
        transcript_open(name=str(path))
    with pytest.raises(LookupFailedError, match=r"'3333' could be 33333330-.*, 33333333-[\w-]+ and others\. Give more"):
        transcript_open(name="3333")
