from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from compaction.compare.selectors.points import Points
from compaction.kinds.engine import KindSpec
from compaction.kinds.engine.specs import KINDS
from compaction.kinds.engine.specs.auto import AUTO
from compaction.kinds.engine.specs.collapse import COLLAPSE
from compaction.kinds.engine.specs.full import FULL
from compaction.kinds.engine.specs.microcompact import MICROCOMPACT
from compaction.kinds.engine.specs.partial import PARTIAL_FROM, PARTIAL_UP_TO
from compaction.kinds.engine.specs.snip import SNIP
from compaction.kinds.selectors.moment import find_moment
from compaction.kinds.services.runs import compaction_run
from compaction.models import Compaction
from inspector.runs.models import Run
from inspector.runs.services import ActiveRun, RunError
from sessions.context.selectors.contexts import load_context, point_next
from sessions.models import Transcript
from sessions.text.engine.words import tokens
from tests.compaction.kinds.views.compact_pages import (
    ADDRESS,
    SETTINGS,
    chosen,
    execute,
    forecast,
    messages,
    page,
    prompts,
    transcript,
    words_of,
)
from tests.demo import names
from tests.pages import fetch
from tests.sessions.made import HOSTILE
from tests.sessions.written import Written

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("demo")]


# --- starting -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_kind_is_foretold_and_started_from_its_form(client: Client, kind: KindSpec) -> None:
    before = Path(transcript().source.path).read_bytes()
    foretold = forecast(page(client, chosen(kind)))
    response = client.post(ADDRESS, chosen(kind))
    run = Run.objects.get()
    assert (response.status_code, response["Location"]) == (303, f"/runs/{run.pk}/")
    assert (run.kind, run.parameters["kind"], run.parameters["model"]) == ("compaction", kind.name, "mechanical")
    given = {name.removeprefix("set."): value for name, value in SETTINGS.get(kind, {}).items()}
    given |= {"mode": "time"} if kind is MICROCOMPACT else {}
    assert run.parameters["settings"] == given
    execute(run)
    made = Compaction.objects.get(run_id=run.pk)
    assert made.done, made.report["why"]
    last = names.spent("long")
    whole = re.escape(tokens(last.prompt + last.output))
    assert re.search(rf"Would free ~[\d.]+k? of ~{whole} tokens", foretold)
    assert "By the client’s own estimate, which decides what it does: ~10.7k →" in foretold
    assert made.mechanical == (kind in (COLLAPSE, FULL, PARTIAL_FROM, PARTIAL_UP_TO, AUTO))
    assert Path(transcript().source.path).read_bytes() == before


@pytest.mark.parametrize("mode", ["cached", "api"])
def test_the_other_ways_of_clearing_have_settings_of_their_own(client: Client, mode: str) -> None:
    html = page(client, {"kind": "microcompact", "mode": mode})
    assert ("set.tool_uses.exclude_tools" in html) == (mode == "api")
    client.post(ADDRESS, {"kind": "microcompact", "mode": mode, "set.trigger": "1", "set.keep": "1"})
    prefix = "tool_uses." if mode == "api" else ""
    assert Run.objects.get().parameters["settings"] == {"mode": mode, f"{prefix}trigger": "1", f"{prefix}keep": "1"}


def test_settings_of_the_mode_before_are_not_taken_for_those_of_the_new_one(client: Client) -> None:
    fields = {"kind": "microcompact", "mode": "api", "settings-of": "time", "set.keep": "2", "set.gap_minutes": "0"}
    assert 'class="field changed"' not in page(client, fields)


def test_only_what_differs_from_the_default_is_sent(client: Client) -> None:
    fields = {"kind": "budget", "set.per_result": "50000", "set.per_message": "200,000", "set.preview": "1,024"}
    client.post(ADDRESS, fields)
    assert Run.objects.get().parameters["settings"] == {"preview": "1,024"}


def test_a_sub_agent_has_the_same_form(client: Client) -> None:
    agent = Transcript.objects.filter(parent__isnull=False, kind="agent").first()
    assert agent is not None
    address = f"/sessions/{agent.public_id}/compact/"
    assert forecast(words_of(client.get(f"{address}?kind=full").content))
    client.post(address, {"kind": "full"})
    run = Run.objects.get()
    assert run.parameters["transcript"] == agent.pk
    assert run.target_url == f"/sessions/{agent.public_id}/"


@pytest.mark.parametrize(
    ("kind", "why"), [(SNIP, "No turn of this session can go."), (PARTIAL_FROM, "There is no place to cut it.")]
)
def test_where_nothing_can_be_picked_the_button_is_off(
    client: Client, tmp_path: Path, kind: KindSpec, why: str
) -> None:
    file = Written(project=tmp_path / "projects" / "-home-dev-tidewatch")
    file.user("How high is it?")
    html = words_of(client.get(f"/sessions/{file.read().public_id}/compact/?kind={kind}").content)
    assert why in forecast(html)
    assert 'disabled title="Nothing would change"' in html


def test_only_a_form_of_ours_starts_anything() -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(ADDRESS, {"kind": "full"}).status_code == 403
    assert strict.get(ADDRESS, {"kind": "full", "confirmed": "x"}).status_code == 200
    html = strict.get(ADDRESS, {"kind": "full"}).content.decode()
    # The token goes with the button that starts it, so that it never stands in an address.
    button = r'<button\s+class="primary"\s+formmethod="post"\s+name="csrfmiddlewaretoken"\s+value="(\w+)"\s*>'
    token = re.search(button, html)
    assert token
    assert 'type="hidden" name="csrfmiddlewaretoken"' not in html
    assert strict.post(ADDRESS, {"kind": "full", "csrfmiddlewaretoken": token[1]}).status_code == 303
    assert Run.objects.count() == 1


# --- what is wrong ------------------------------------------------------------------------------------------------
def test_a_wrong_value_stands_beside_its_field_and_nothing_is_lost(client: Client) -> None:
    fields = {"kind": "full", "instructions": "Mind the moon.", "set.attachments.files.most": "many"}
    response = client.post(ADDRESS, {**fields, "set.full.retries": "2"})
    html = words_of(response.content)
    assert response.status_code == 422
    assert re.search(r'name="set.attachments.files.most" value="many"[^>]*aria-invalid', html)
    assert "Has to be a whole number, not 'many'." in html
    assert ">Mind the moon.</textarea>" in html
    assert 'name="set.full.retries" value="2"' in html
    assert '<details class="more-settings" open>' in html
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"kind": "vanish"}, "There is no compaction of the kind 'vanish'"),
        ({"kind": "snip"}, "Pick the turns"),
        ({"kind": "snip", "ids": "nobody"}, "The session has no entry nobody"),
        ({"kind": "partial-from"}, "Pick the message"),
        ({"kind": "partial-from", "pivot": HOSTILE}, "The session has no entry"),
        ({"kind": "full", "instructions": "a\0b"}, "NUL"),
        ({"kind": "full", "instructions": "x" * 4_001}, "may have 4,000 characters; these have 4,001"),
        ({"kind": "full", "writer": "configured"}, "No model can be asked. There is no ANTHROPIC_API_KEY"),
        ({"kind": "budget", "set.per_result": "9" * 5_000}, "At most 300 characters"),
        ({"kind": "budget", "set.path": "/etc/passwd"}, "budget has no setting 'path' here"),
        ({"kind": "budget", f"set.{HOSTILE}": "1"}, "budget has no setting"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(client: Client, fields: dict[str, str], words: str) -> None:
    response = client.post(ADDRESS, fields)
    assert response.status_code == 422
    assert words in unescape(response.content.decode())
    assert "<script>alert" not in response.content.decode()
    assert not Run.objects.exists()


def test_what_is_too_large_to_be_read_is_refused_with_a_sentence(client: Client) -> None:
    response = client.post(ADDRESS, {"kind": "full", "instructions": "x" * 10_000_000})
    assert response.status_code == 400
    assert "larger than a form of this page may be" in response.content.decode()
    assert not Run.objects.exists()


# --- looking ------------------------------------------------------------------------------------------------------
def test_without_a_kind_it_says_what_would_happen_now_and_why(client: Client) -> None:
    html = page(client)
    assert "Nothing would change" in forecast(html)
    last = names.spent("long")
    assert f"Auto-compact ~{last.prompt + last.output:,} tokens are fewer than the threshold" in forecast(html)
    assert html.count('class="kind"') == len(KINDS)


def test_a_preview_swaps_alone_and_its_address_holds_what_differs(client: Client) -> None:
    headers = {"HX-Request": "true", "HX-Target": "forecast"}
    query = {"kind": "budget", "set.per_result": "300", "set.per_message": "200,000", "set.per_tool": ""}
    response = client.get(ADDRESS, query, headers=headers)
    assert response.content.decode().lstrip().startswith('<section id="forecast"')
    assert response["HX-Replace-Url"] == f"{ADDRESS}?kind=budget&set.per_result=300"
    wrong = client.get(ADDRESS, {**query, "set.per_result": "x"}, headers=headers)
    assert "One result: Has to be a whole number" in unescape(wrong.content.decode())


def test_the_kinds_swap_in_with_the_whole_form(client: Client) -> None:
    html = page(client, {"kind": "partial-from", "pivot": prompts()[0]}, HX_Request="true", HX_Target="compact")
    assert html.lstrip().startswith('<div id="compact"')
    assert f'href="{ADDRESS}?kind=partial-up-to&pivot={prompts()[0]}"' in html


def test_the_page_takes_few_queries(client: Client) -> None:
    for kind in KINDS:
        query = chosen(kind)
        with CaptureQueriesContext(connection) as queries:
            client.get(ADDRESS, query)
        # Records to attach; for an automatic kind also a refused request and, twice, notes that are being taken.
        assert len(queries) <= (15 if kind.runs_hooks else 12) + 3 * kind.automatic, kind


# --- messages and turns that are named ----------------------------------------------------------------------------
def test_any_entry_of_a_turn_names_it(client: Client) -> None:
    first = prompts()[0]
    inside = next(
        message.uuid
        for message in messages()[[m.uuid for m in messages()].index(first) + 1 :]
        if message.role == "assistant"
    )
    html = page(client, {"kind": "snip", "ids": inside})
    assert re.search(rf'name="ids" value="{first}" checked', html)
    client.post(ADDRESS, {"kind": "snip", "ids": inside})
    assert Run.objects.get().parameters["ids"] == [first]


def test_what_has_left_the_context_is_said_with_the_nearest_that_would_do(client: Client) -> None:
    gone = names.uuid("long", "edit hours")
    html = page(client, {"kind": "partial-up-to", "pivot": gone})
    assert "is not in the context: it was summarised away. The nearest that would do is" in html
    near = re.search(r"kind=partial-up-to&pivot=([0-9a-f-]{36})\">entry \d+</a>", html)
    assert near
    assert re.search("Would (free|add)", forecast(page(client, {"kind": "partial-up-to", "pivot": near[1]})))
    assert "was summarised away" in page(client, {"kind": "snip", "ids": gone})


def test_where_a_cut_would_part_a_call_from_its_result_it_is_moved(client: Client) -> None:
    result = next(message.uuid for message in messages() if message.kind == "result")
    html = page(client, {"kind": "partial-up-to", "pivot": result})
    assert re.search(
        r"It is cut at entry \d+, where more is kept. At entry \d+ a tool call would lose its result", html
    )
    assert re.search("Would (free|add)|Nothing would change", forecast(html))


def test_a_message_of_a_sub_agent_leads_to_its_own_form(client: Client) -> None:
    agent = Transcript.objects.filter(parent__isnull=False, kind="agent").select_related("parent").first()
    assert agent is not None
    assert agent.parent is not None
    inside = next(message.uuid for message in load_context(agent, point_next(agent)).messages if message.uuid)
    response = client.get(f"/sessions/{agent.parent.public_id}/compact/", {"kind": "partial-from", "pivot": inside})
    assert response["Location"] == f"/sessions/{agent.public_id}/compact/?kind=partial-from&pivot={inside}"


def test_what_was_picked_on_one_page_of_turns_stays_picked_on_the_next(client: Client, tmp_path: Path) -> None:
    file = Written(project=tmp_path / "projects" / "-home-dev-tidewatch")
    turns = []
    for number in range(65):
        turns.append(file.user(f"Question {number}"))
        file.assistant("It is high.")
    file.user("And now?")
    address = f"/sessions/{file.read().public_id}/compact/"
    last = words_of(client.get(address, {"kind": "snip"}).content)
    assert "61–66 of 66" in last
    assert "It is not finished." in last
    first = words_of(client.get(address, {"kind": "snip", "ids": [turns[64], turns[63]], "page": "1"}).content)
    assert "1–30 of 66" in first
    assert "2 more on other pages are chosen." in first
    assert re.search(rf'type="hidden" name="ids" value="{turns[64]},{turns[63]}"', first)
    client.post(address, {"kind": "snip", "ids": [f"{turns[64]},{turns[63]}", turns[0]]})
    assert set(Run.objects.get().parameters["ids"]) == {turns[64], turns[63], turns[0]}


def test_entries_cuts_and_the_header_lead_to_the_form(client: Client) -> None:
    uuid = prompts()[0]
    entry = client.get(f"/sessions/{names.LONG}/entries/{uuid}/").content.decode()
    panel = client.get(
        f"/sessions/{names.LONG}/entries/{uuid}/?part=facts", headers={"HX-Request": "true"}
    ).content.decode()
    for wanted in (
        f"kind=partial-up-to&amp;pivot={uuid}",
        f"kind=partial-from&amp;pivot={uuid}",
        f"kind=snip&amp;ids={uuid}",
    ):
        assert f'href="{ADDRESS}?{wanted}"' in entry
        assert f'href="{ADDRESS}?{wanted}"' in panel
    assert f'href="{ADDRESS}"' in client.get(f"/sessions/{names.LONG}/").content.decode()
    context = client.get(f"/sessions/{names.LONG}/context/?next=1").content.decode()
    assert f'class="cut-here" href="{ADDRESS}?kind=partial-up-to&amp;pivot={uuid}"' in context
    plain = client.get(f"/sessions/{names.LONG}/entries/L0/").content.decode()
    assert "Snip this turn" not in plain


def test_a_session_is_compacted_as_it_was_right_after_an_entry(client: Client) -> None:
    entry = names.uuid("long", "the finding")
    html = fetch(client, f"{ADDRESS}?kind=full&at={entry}&forecast=1")
    assert "This is the session as it was right after entry 45" in html
    assert f"?kind=snip&amp;at={entry}" in html, "the other kinds start from there as well"
    response = client.post(ADDRESS, {"kind": "full", "at": entry})
    run = Run.objects.get(pk=response.headers["Location"].rstrip("/").rpartition("/")[2])
    assert run.parameters["at"] == entry
    result = compaction_run(ActiveRun(run), run)
    made = Compaction.objects.get(pk=result["compaction"])
    transcript = Transcript.objects.get(public_id=names.LONG)
    moment = find_moment(transcript, entry)
    assert (made.position, made.link) == (46, moment.point.link)
    assert made.messages_before == len(load_context(transcript, moment.point).elements)
    assert f"at={entry}" in fetch(client, f"{ADDRESS}?again={run.pk}")


def test_at_a_compaction_of_the_agents_it_is_compacted_as_it_was_right_before(client: Client) -> None:
    boundary = names.uuid("long", "manual boundary")
    position = names.point("long", "manual boundary").position
    assert f"right before entry {position}" in fetch(client, f"{ADDRESS}?kind=full&at={boundary}")
    points = Points(Transcript.objects.get(public_id=names.LONG))
    before = points.before(points.boundary(boundary)).loaded_context
    context = load_context(points.transcript, find_moment(points.transcript, boundary).point)
    assert [message.uuid for message in context.messages] == [message.uuid for message in before.messages]
    html = fetch(client, f"/sessions/{names.LONG}/compactions/{boundary}/")
    assert f"/compact/?kind=full&amp;at={boundary}" in html


def test_an_entry_of_a_sub_agent_leads_to_its_own_form(client: Client) -> None:
    entry = names.uuid("survey/constants", "task")
    response = client.get(f"/sessions/{names.SURVEY}/compact/", {"kind": "full", "at": entry})
    assert response.status_code == 302
    assert f"at={entry}" in response.headers["Location"]
    assert client.get(response.headers["Location"]).status_code == 200


def test_an_entry_that_is_not_there_is_not_found(client: Client) -> None:
    assert client.get(ADDRESS, {"kind": "full", "at": "L99999"}).status_code == 404
    run = Run.objects.create(
        kind="compaction",
        created_at=1,
        parameters={"transcript": Transcript.objects.get(public_id=names.LONG).pk, "kind": "full", "at": "L99999"},
    )
    with pytest.raises(RunError, match="no entry L99999"):
        compaction_run(ActiveRun(run), run)
