"""The button that hands a compaction back to the agent."""

from __future__ import annotations

import zipfile
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path
from typing import cast

import pytest
from asgiref.sync import async_to_sync
from django.db import connection
from django.http import StreamingHttpResponse
from django.test import AsyncClient, Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from compaction.kinds.engine.specs.full import FULL
from compaction.models import Compaction, Export
from inspector.locks.database_lock import database_lock
from inspector.runs.models import Run
from sessions.imports.services.import_runs import demo_settle
from sessions.models import Source, Transcript
from tests.compaction.export.test_services import compacted, session
from tests.pages import fetch, flowing
from tests.sessions.made import HOSTILE

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true", "HX-Target": "export"}


@pytest.fixture
def stored(tmp_path: Path, settings: Settings) -> Compaction:
    settings.CLAUDE_CONFIG_DIR = tmp_path
    settings.LUCID_HOME = tmp_path / "home"
    return compacted(session(tmp_path))


def address(stored: Compaction) -> str:
    return f"/sessions/{stored.transcript.public_id}/compactions/run-{stored.number}/export/"


def test_it_writes_beside_the_session_and_shows_how_to_go_on(client: Client, stored: Compaction) -> None:
    own = Path(stored.transcript.source.path)
    before = own.read_bytes()
    assert f'value="{own.parent}"' in fetch(client, address(stored))
    response = client.post(address(stored), {"directory": ""})
    assert (response.status_code, response.headers["Location"]) == (303, address(stored))
    export = Export.objects.get()
    assert Path(export.path).parent == own.parent
    html = fetch(client, address(stored))
    assert export.path in html
    assert f"cd /home/dev/tidewatch &amp;&amp; claude --resume {export.session_id}" in html
    assert f'href="/sessions/{export.session_id}/"' in html
    assert "export it to there" not in html
    assert own.read_bytes() == before


def test_the_new_session_can_be_read_at_once_and_names_its_origin(client: Client, stored: Compaction) -> None:
    client.post(address(stored), {"directory": ""})
    html = fetch(client, f"/sessions/{Export.objects.get().session_id}/")
    assert (
        f'href="/sessions/{stored.transcript.public_id}/" title="Made here, from a compaction of that session">' in html
    )
    assert "made by Lucid from" in html
    assert Source.objects.filter(kind=Source.Kind.RESULT).count() == 3


def test_htmx_gets_the_part_alone(client: Client, stored: Compaction, tmp_path: Path) -> None:
    response = client.post(address(stored), {"directory": str(tmp_path / "to")}, headers=HTMX)
    html = flowing(response.content.decode())
    assert response.status_code == 200
    assert "<html" not in html
    assert str(tmp_path / "to") in html
    assert "export it to there" in html


def test_what_cannot_be_written_is_told_and_may_be_put_right(
    client: Client, stored: Compaction, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    typed = str(tmp_path / "file")
    response = client.post(address(stored), {"directory": typed})
    html = response.content.decode()
    assert response.status_code == 409
    assert f"<b>{typed} could not be written to: Not a directory.</b>" in html
    assert f'value="{typed}"' in html
    assert not Export.objects.exists()
    partial = client.post(address(stored), {"directory": "not/whole"}, headers=HTMX)
    assert partial.status_code == 200
    assert "Name the whole directory" in partial.content.decode()


def test_what_is_typed_is_shown_as_text(client: Client, stored: Compaction) -> None:
    response = client.post(address(stored), {"directory": HOSTILE})
    assert response.status_code == 409
    assert HOSTILE not in response.content.decode()


def test_while_another_import_is_under_way_a_worker_reads_it_later(
    client: Client, stored: Compaction, tmp_path: Path
) -> None:
    (tmp_path / "home").mkdir(exist_ok=True)
    with database_lock("import"):
        client.post(address(stored), {"directory": ""})
    export = Export.objects.get()
    assert Run.objects.get(kind="import").target == export.path
    assert "not imported yet" in fetch(client, address(stored))


async def downloaded(path: str) -> tuple[StreamingHttpResponse, bytes]:
    response = cast(StreamingHttpResponse, await AsyncClient().get(path))
    return response, b"".join([piece async for piece in cast(AsyncIterator[bytes], response.streaming_content)])


def test_it_can_be_downloaded(stored: Compaction) -> None:
    response, data = async_to_sync(downloaded)(f"{address(stored)}zip/")
    assert response.status_code == 200
    with zipfile.ZipFile(BytesIO(data)) as archive:
        assert archive.testzip() is None
        name = archive.namelist()[-1]
    assert f'filename="{Path(name).stem}.zip"' in response.headers["Content-Disposition"]


def test_it_needs_a_form_of_this_site(stored: Compaction) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(address(stored), {"directory": ""}).status_code == 403
    assert not Export.objects.exists()


def test_a_compaction_of_another_session_is_not_found(client: Client, stored: Compaction) -> None:
    assert client.get(f"/sessions/other/compactions/run-{stored.number}/export/").status_code == 404
    assert client.get(address(stored).replace(f"run-{stored.number}", "run-99999")).status_code == 404


def test_what_changed_nothing_is_not_handed_back(client: Client, stored: Compaction) -> None:
    Compaction.objects.update(done=False, report={"why": "It is small enough."})
    html = fetch(client, address(stored))
    assert "there is nothing to hand back: It is small enough." in html
    assert 'name="directory"' not in html


def test_the_page_asks_the_same_few_questions_for_any_number_of_exports(client: Client, stored: Compaction) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as result:
            fetch(client, address(stored))
        return len(result)

    client.post(address(stored), {"directory": ""})
    few = queries()
    for _ in range(3):
        client.post(address(stored), {"directory": ""})
    assert queries() == few <= 9


def test_what_is_made_of_the_demo_does_not_put_the_demo_away(
    client: Client, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LUCID_HOME = tmp_path / "home"
    settings.DEMO_DIR = tmp_path
    monkeypatch.setattr("sessions.imports.services.import_runs.DEMO", tmp_path)
    stored = compacted(session(tmp_path), FULL)
    client.post(address(stored), {"directory": ""})
    assert Path(Export.objects.get().path).is_relative_to(tmp_path / "home" / "exports")
    Source.objects.filter(path__startswith=f"{tmp_path}/projects").update(state="present")
    demo_settle()
    assert Transcript.objects.filter(source__state=Source.State.PRESENT).count() == 2
