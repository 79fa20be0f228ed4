from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.compaction.cache.cached_session import Cached
from tests.compaction.logged import Logged

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "projects" / "-home-dev-tidewatch"


def printed(*arguments: str) -> str:
    out = StringIO()
    call_command("requests", *arguments, stdout=out)
    return out.getvalue()


def test_the_prompt_of_a_request_is_printed_with_its_sections_and_marks(project: Path) -> None:
    file = Cached(project=project, mark={"type": "ephemeral", "ttl": "1h"}).warm()
    name = file.asks(50_500, 500)
    words = printed(file.read().session_id, "--request", name)
    assert words.startswith("The cache had ")
    assert "org     same" in words
    assert "system[1]: At the end of the system prompt" in words
    assert "One hour: Its source repl_main_thread is on the list" in words


def test_as_json_it_says_of_each_section_what_the_page_says(project: Path) -> None:
    transcript = Logged(project=project).talk().read()
    document = json.loads(printed(transcript.session_id, "--request", "msg_tomorrow", "--json"))
    assert document["request"] == "msg_tomorrow"
    assert [section["change"] for section in document["sections"]] == ["same", "same", "same"]
    assert [section["place"] for section in document["sections"]] == ["system.0", "system.1", "0"]
    assert [mark["path"] for mark in document["marks"]] == ["system[0]", "system[1]", "messages[4].content[0]"]
    assert document["lifetimes"][0]["lifetime"] == "One hour"


@pytest.mark.parametrize("name", ["msg_nobody", ""])
def test_a_request_that_is_not_there_is_an_error(project: Path, name: str) -> None:
    transcript = Logged(project=project).talk().read()
    with pytest.raises(CommandError):
        printed(transcript.session_id, "--request", name)
