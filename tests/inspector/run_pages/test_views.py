from __future__ import annotations

import fcntl
import json
import re
import time
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from inspector.runs.models import Run
from inspector.runs.selectors.presence import boot_seconds
from tests.pages import fetch, tight
from tests.sessions.made import HOSTILE

pytestmark = pytest.mark.django_db


def now() -> int:
    return int(time.time() * 1000)


def made(**fields: Any) -> Run:
    """A check of the archive that runs, unless the fields say otherwise."""
    created_at = now()
    given = {
        "kind": "check archive",
        "status": "running",
        "created_at": created_at - 5000,
        "started_at": created_at - 4000,
    }
    counts = {
        "phase": "reading blocks",
        "done": 3 << 20,
        "total": 12 << 20,
        "unit": "bytes",
        "phase_at": created_at - 2000,
    }
    return Run.objects.create(**{**given, **counts, "heartbeat_at": created_at, **fields})


def live(client: Client, run: Run, shown: str) -> Any:
    return client.get(f"/runs/{run.pk}/?shown={shown}", headers={"HX-Request": "true", "HX-Target": "run-live"})


# --- the mark in the header ---------------------------------------------------------------------------------------
def test_the_mark_is_silent_and_asks_no_more_while_nothing_runs(client: Client) -> None:
    html = re.sub(r"\s+", " ", client.get("/runs/indicator/").content.decode())
    assert "hx-get" not in html
    assert "run" not in html.replace('id="run-indicator" class="runs"', "")


def test_the_mark_counts_what_is_under_way_and_asks_again(client: Client) -> None:
    made(kind="import", phase="reading")
    made(kind="dream", status="queued")
    html = re.sub(r"\s+", " ", client.get("/runs/indicator/").content.decode())
    assert "2 runs" in re.sub("<[^>]+>", "", html)
    assert "import: reading" in html
    assert 'hx-trigger="every 3s"' in html
    assert 'href="/runs/?status=active"' in html


def test_the_mark_of_one_run_leads_to_it(client: Client) -> None:
    run = made()
    assert f'href="/runs/{run.pk}/"' in client.get("/runs/indicator/").content.decode()


# --- the list -----------------------------------------------------------------------------------------------------
def test_without_runs_the_list_says_what_will_be_there(client: Client) -> None:
    html = fetch(client, "/runs/")
    assert "Nothing has run yet" in html
    assert re.search(r'<form class="offer" method="post" action="/runs/start/"> ?<input type="hidden" name="csrf', html)


def test_the_newest_run_comes_first_with_its_progress_and_its_button(client: Client) -> None:
    old = made(kind="import", status="completed", finished_at=now(), summary="7 new entries in 2 files.")
    new = made()
    html = fetch(client, "/runs/")
    assert html.index(f'id="run-{new.pk}"') < html.index(f'id="run-{old.pk}"')
    assert "3.0 MB of 12 MB" in html
    assert re.search(r"1\.\d MB/s · ~\d\.\ds left", html)
    assert f'action="/runs/{new.pk}/kill/"' in html
    assert "7 new entries in 2 files." in html


def test_the_list_is_filtered_by_kind_and_by_status(client: Client) -> None:
    runs = {
        "import": made(kind="import", status="completed", finished_at=1),
        "failed": made(status="failed", error="no", finished_at=1),
        "running": made(),
    }

    def shown(query: str) -> set[str]:
        html = fetch(client, f"/runs/?{query}")
        return {name for name, run in runs.items() if f'id="run-{run.pk}"' in html}

    assert shown("kind=import") == {"import"}
    assert shown("status=failed") == {"failed"}
    assert shown("status=active") == {"running"}
    assert shown("kind=check+archive&status=failed") == {"failed"}
    assert shown("kind=nonsense&status=nonsense&page=x") == set(runs)
    assert "No run fits these filters" in fetch(client, "/runs/?status=killed")


def test_the_list_is_paged_and_its_queries_do_not_grow(client: Client) -> None:
    def queries(address: str) -> int:
        with CaptureQueriesContext(connection) as seen:
            fetch(client, address)
        assert not [query for query in seen.captured_queries if '"turns"' in query["sql"]]
        return len(seen)

    made(heartbeat_at=now() + 3_600_000)  # it does not fall silent, however slow the machine is
    few = queries("/runs/")
    for _ in range(70):
        made(status="completed", finished_at=now(), result={"much": "x" * 1000})
    # On a server its clock and the workers of all hosts are queries too.
    assert queries("/runs/") == few <= (7 if connection.vendor == "postgresql" else 5)
    assert "61–71 of 71 runs" in fetch(client, "/runs/?page=3")
    html = fetch(client, "/runs/", HX_Request="true", HX_Target="run-list")
    assert html.lstrip().startswith('<section id="run-list"')


def test_a_card_asks_for_its_moving_part_until_the_state_changes(client: Client) -> None:
    run = made()
    response = client.get(f"/runs/{run.pk}/card/?shown=running")
    assert f'id="run-{run.pk}-live"' in response.content.decode()
    assert "<article" not in response.content.decode()
    Run.objects.update(status="completed", finished_at=now(), summary="All well.")
    response = client.get(f"/runs/{run.pk}/card/?shown=running")
    assert response["HX-Retarget"] == f"closest #run-{run.pk}"
    assert "All well." in response.content.decode()
    assert "hx-trigger" not in response.content.decode()


# --- one run ------------------------------------------------------------------------------------------------------
def test_a_run_under_way_is_followed_every_second(client: Client) -> None:
    run = made(progress={"files": 3, "files_total": 8, "damaged": 0})
    html = fetch(client, f"/runs/{run.pk}/")
    assert 'hx-trigger="every 1s"' in html
    assert "<b>reading blocks</b> · 3.0 MB of 12 MB · 3 of 8 files" in html
    assert '<progress max="100" value="25"' in html
    response = live(client, run, "running")
    assert response.content.decode().lstrip().startswith('<div id="run-live"')
    assert "HX-Retarget" not in response


def test_when_it_ends_the_whole_page_changes(client: Client) -> None:
    run = made()
    Run.objects.update(status="completed", finished_at=now(), summary="All well.", result={"files": 3})
    response = live(client, run, "running")
    assert (response["HX-Retarget"], response["HX-Reswap"]) == ("closest #run", "outerHTML")
    html = response.content.decode()
    assert html.lstrip().startswith('<article id="run"')
    assert "Run again" in html
    assert "every 1s" not in html


def test_turns_tokens_and_cost_are_shown(client: Client) -> None:
    turns = [
        {"number": n, "at": now(), "text": f"Thought {n}", "tools": {"Read": n}, "files": [f"{n}.md"]} for n in (41, 42)
    ]
    run = made(
        turns=turns,
        turn_count=42,
        model="claude-small",
        input_tokens=1200,
        cache_read_tokens=45_000,
        output_tokens=800,
        cost=0.31,
    )
    html = fetch(client, f"/runs/{run.pk}/")
    assert html.index("Thought 42") < html.index("Thought 41")
    assert "the last 2 of 42" in html
    assert "Read × 42" in html
    assert "45.0k read from cache" in html
    assert "$0.31" in html
    assert "claude-small" in html


def test_a_result_is_facts_and_on_demand_json(client: Client) -> None:
    result = {
        "summary": "Done.",
        "links": [["See it", "/sessions/a/"], ["Not this", "//evil.example/"], ["Nor this", "javascript:alert(1)"]],
        "checked_bytes": 5 << 20,
        "files": 1234,
        "damage": ["one", "two"],
        "nothing": [],
        "sound": True,
    }
    run = made(status="completed", finished_at=now(), summary="Done.", result=result)
    html = fetch(client, f"/runs/{run.pk}/")
    html = tight(html)
    for word in ("<dt>Checked</dt><dd>5.0 MB</dd>", "<dd>1,234</dd>", "<li>two</li>", "<dt>Sound</dt><dd>yes</dd>"):
        assert word in html
    assert '<a href="/sessions/a/">See it</a>' in html
    assert 'href="//evil' not in html
    assert 'href="javascript' not in html
    assert "<dt>Nothing</dt>" not in html
    assert "&quot;checked_bytes&quot;: 5242880" in html


def test_a_failure_says_what_to_do_and_can_be_retried(client: Client) -> None:
    run = made(status="failed", error="The disk is full. Make room and retry.", reason="OSError: 28", finished_at=now())
    html = fetch(client, f"/runs/{run.pk}/")
    assert "The disk is full. Make room and retry." in html
    assert "OSError: 28" in html
    assert "lucid.log" in html
    assert f'action="/runs/{run.pk}/retry/"' in html
    assert "/kill/" not in html


def test_a_run_that_found_something_bad_does_not_look_well(client: Client) -> None:
    run = made(status="completed", finished_at=now(), summary="1 file is damaged.", error="Look for a copy.")
    html = fetch(client, f"/runs/{run.pk}/")
    assert "completed, with findings" in html
    assert "1 file is damaged." in html
    assert "Look for a copy." in html
    assert 'is-alarmed"' in fetch(client, "/runs/")


def test_an_import_has_the_same_page_and_its_own_words_when_it_was_killed(client: Client) -> None:
    run = made(kind="import", target="/home/dev/.claude")
    html = fetch(client, f"/runs/{run.pk}/")
    assert "<h1>Import</h1>" in html
    assert "/kill/" in html
    Run.objects.filter(pk=run.pk).update(status="killed", finished_at=now())
    assert "What it has read stays" in fetch(client, f"/runs/{run.pk}/")


def test_a_run_that_waits_for_long_says_why(client: Client) -> None:
    run = made(status="queued", created_at=now() - 60_000, started_at=None)
    assert "lucid worker" in fetch(client, f"/runs/{run.pk}/")


def test_a_silent_run_is_not_shown_as_running(client: Client) -> None:
    run = made(heartbeat_at=now() - 120_000)
    html = fetch(client, f"/runs/{run.pk}/")
    assert "It has been silent for more than a minute." in html
    assert "every 1s" not in html


def test_what_a_run_says_is_shown_as_text(client: Client) -> None:
    turns = [{"number": 1, "text": HOSTILE, "tools": {HOSTILE: 1}, "files": [HOSTILE]}]
    fields = {"target": HOSTILE, "phase": HOSTILE[:80], "error": HOSTILE, "reason": HOSTILE, "summary": HOSTILE}
    run = made(
        status="failed", finished_at=1, turns=turns, result={HOSTILE: HOSTILE}, parameters={"x": HOSTILE}, **fields
    )
    for address in (f"/runs/{run.pk}/", "/runs/", "/"):
        html = fetch(client, address)
        assert "<script>alert" not in html
        assert "<img src=x" not in html


def test_a_secret_in_a_turn_is_masked(client: Client) -> None:
    key = "sk-ant-api03-" + "a1B2c3D4" * 12
    run = made(turns=[{"number": 1, "text": f"The key is {key}"}], result={"key": key}, finished_at=1)
    assert key not in fetch(client, f"/runs/{run.pk}/")


def test_the_queries_of_a_run_are_few(client: Client) -> None:
    first = made(status="failed", finished_at=1)
    run = made(retry_of=first, attempt=2)
    with CaptureQueriesContext(connection) as queries:
        html = fetch(client, f"/runs/{run.pk}/")
    assert f'retry of <a href="/runs/{first.pk}/">' in html
    assert len(queries) <= 4
    with CaptureQueriesContext(connection) as queries:
        live(client, run, "running")
    assert len(queries) <= 2


def test_a_run_that_is_not_there_is_a_404(client: Client) -> None:
    assert client.get("/runs/12345/").status_code == 404
    assert client.get("/runs/99999999999999999999999/").status_code == 404
    assert client.post("/runs/12345/kill/").status_code == 404


# --- what can be done ---------------------------------------------------------------------------------------------
def test_a_start_leads_to_the_page_of_the_run(client: Client) -> None:
    response = client.post("/runs/start/", {"kind": "check archive"})
    run = Run.objects.get()
    assert (response.status_code, response["Location"], run.status) == (303, f"/runs/{run.pk}/", "queued")
    assert client.post("/runs/start/", {"kind": "check archive"})["Location"] == f"/runs/{run.pk}/"


@pytest.mark.parametrize("kind", ["", "import", "nonsense"])
def test_only_what_is_offered_can_be_started(client: Client, kind: str) -> None:
    assert client.post("/runs/start/", {"kind": kind}).status_code == 404
    assert not Run.objects.exists()


def test_kill_asks_the_run_to_stop(client: Client) -> None:
    run = made()
    response = client.post(f"/runs/{run.pk}/kill/")
    assert (response.status_code, response["Location"]) == (303, f"/runs/{run.pk}/")
    run.refresh_from_db()
    assert run.kill_requested_at is not None
    assert "Stopping" in fetch(client, f"/runs/{run.pk}/")


def test_kill_in_a_list_answers_with_the_card(client: Client) -> None:
    run = made()
    headers = {"HX-Request": "true", "HX-Target": f"run-{run.pk}"}
    assert client.post(f"/runs/{run.pk}/kill/", headers=headers)["Location"] == f"/runs/{run.pk}/card/"


def test_retry_leads_to_the_new_run(client: Client) -> None:
    run = made(status="failed", finished_at=1)
    response = client.post(f"/runs/{run.pk}/retry/")
    second = Run.objects.get(retry_of=run)
    assert (response.status_code, response["Location"]) == (303, f"/runs/{second.pk}/")
    assert client.post(f"/runs/{second.pk}/retry/").status_code == 409


def test_what_changes_something_needs_a_form_of_ours_and_a_post(client: Client) -> None:
    run = made(status="failed", finished_at=1)
    strict = Client(enforce_csrf_checks=True)
    for address in (f"/runs/{run.pk}/kill/", f"/runs/{run.pk}/retry/", "/runs/start/"):
        assert strict.post(address, {"kind": "check archive"}).status_code == 403
        assert client.get(address).status_code == 405
    assert Run.objects.count() == 1


def test_the_home_page_shows_what_runs_and_ended_today(client: Client) -> None:
    from tests.sessions.made import session

    session()
    assert "All runs" not in fetch(client, "/")
    run = made()
    made(kind="import")
    made(status="completed", created_at=1, finished_at=1)
    html = fetch(client, "/")
    assert re.findall(r'<article id="run-(\d+)"', html) == [str(run.pk)]


def test_a_run_that_asks_a_small_model_is_repeated_where_its_price_stands(client: Client) -> None:
    run = made(kind="agent summary", status="completed", finished_at=now(), target_url="/sessions/x/agents/")
    answer = client.post(f"/runs/{run.pk}/retry/", headers={"host": "localhost"})
    assert (answer.status_code, answer["Location"]) == (303, "/sessions/x/agents/")
    assert Run.objects.count() == 1


def test_a_silent_run_can_be_killed_from_the_list_and_its_end_is_waited_for(client: Client) -> None:
    run = made(heartbeat_at=now() - 120_000)
    assert f'id="kill-{run.pk}"' in fetch(client, "/runs/")
    Run.objects.filter(pk=run.pk).update(kill_requested_at=now())
    assert "every 1s" in fetch(client, f"/runs/{run.pk}/")
    assert "every 2s" in fetch(client, "/runs/")


def test_the_page_names_the_workers(client: Client) -> None:
    assert "No worker runs" in fetch(client, "/runs/")
    folder = settings.LUCID_HOME / "workers"
    folder.mkdir(parents=True, exist_ok=True)
    message = {"role": "worker", "at": boot_seconds() - 40, "runs": []}
    with (folder / "4711-test").open("w+") as file:
        file.write(json.dumps(message))
        file.flush()
        fcntl.flock(file, fcntl.LOCK_EX)
        html = fetch(client, "/runs/")
    assert "1 worker: here, process 4711" in html
    assert "no sign of life for 40 seconds" in html
    assert "No worker runs" in fetch(client, "/runs/"), "its process has ended"
    (folder / "4711-test").unlink()
