from __future__ import annotations

import re

import pytest
from django.test import Client

from compaction.kinds.engine.specs.budget import BUDGET
from compaction.kinds.engine.specs.full import FULL
from compaction.kinds.engine.specs.microcompact import MICROCOMPACT
from compaction.kinds.engine.specs.session_memory import SESSION_MEMORY
from sessions.context.engine.rendering.overlays import CLEARED
from sessions.context.selectors.contexts import load_context, point_next
from sessions.models import Request, Transcript
from sessions.weights.engine.sizes import sizes_of
from sessions.weights.selectors import weigh, weight_table
from tests.compaction.compare.views.comparison_pages import make, page, rows
from tests.pages import HTMX, sizes_in
from tests.sessions.hostile import PAYLOAD
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db


def chips(html: str) -> dict[str, int]:
    """How many rows there are of each status."""
    matches = re.findall(r'<a class="mk (\w+)" href="\?[^"]*"[^>]*>[^<]*<b>(\d+)</b>', html)
    return {status: int(count) for status, count in matches}


def boundary(file: Written, name: str | None = None) -> str:
    """Five messages, a compaction that keeps the last of them, a file that is attached, and two more."""
    file.user("Please look at the harbour of Skerry Point")
    file.call("Bash", "toolu_1", command="tide")
    file.result("toolu_1", "high water at 2.44 m")
    file.assistant("It is 2.44 m at Skerry Point.")
    kept = file.user("And at Gull Haven?")
    metadata = {
        "trigger": "auto",
        "preTokens": 167_200,
        "preservedMessages": {"anchorUuid": "the-summary", "uuids": [kept]},
    }
    uuid = file.row(
        "system",
        uuid=name,
        subtype="compact_boundary",
        content="Conversation compacted",
        compactMetadata=metadata,
        parent=None,
        logicalParentUuid=kept,
    )
    file.user("Summary: the harbour of Skerry Point has 2.44 m.", uuid="the-summary", isCompactSummary=True)
    file.leaf = kept
    file.user("Is it later there?")
    file.assistant("By an hour.")
    return uuid


def test_a_recorded_boundary_shows_what_the_model_saw_before_and_after(client: Client, file: Written) -> None:
    uuid = boundary(file)
    transcript = file.read()
    html = page(client, transcript, f"compactions/{uuid}/")
    assert "Compacted automatically at ~167.2k tokens" in html
    assert rows(html) == [*["summarised"] * 4, "added", "kept", "added"]
    assert chips(html) == {"summarised": 4, "added": 2, "kept": 1}
    assert "4 records became a summary of ~" in html
    assert "1 record kept word for word" in html
    assert f'href="/sessions/{transcript.public_id}/entries/L5/">entry 5</a>' in html
    assert html.count("It is 2.44 m at Skerry Point.") == 1
    assert html.count("And at Gull Haven?") == 2
    assert page(client, transcript, "compactions/L5/").split('id="comparison"')[1][:40]


def test_a_boundary_has_its_pages_whatever_its_id_holds(client: Client, file: Written) -> None:
    boundary(file, "a/b c?d")
    transcript = file.read()
    listed = page(client, transcript, "compactions/")
    for word in ("", "summary/"):
        assert f"compactions/a%2Fb%20c%3Fd/{word}" in listed
        assert "Skerry Point" in page(client, transcript, f"compactions/a%2Fb%20c%3Fd/{word}")


def test_a_summarised_message_names_the_sentences_that_it_went_into(client: Client, file: Written) -> None:
    uuid = boundary(file)
    html = page(client, file.read(), f"compactions/{uuid}/")
    assert re.search(rf'in sentence <a href="[^"]+/compactions/{uuid}/summary/#s\d+">\d+</a>', html)
    assert "in which sentence cannot be told" in html
    assert f'/compactions/{uuid}/summary/" hx-trigger="toggle' in html


def test_messages_look_as_in_the_context_tab(client: Client, file: Written) -> None:
    file.turns(2)
    transcript = file.read()
    pieces = re.compile(r"<header>.*?</header> ?<pre>.*?</pre>", re.DOTALL)
    there = pieces.findall(page(client, transcript, "context/?next=1").split('id="messages"')[1])
    assert len(there) == 8
    assert set(there) == set(
        pieces.findall(page(client, transcript, "compare/?a=next&b=next&from=0").split('id="rows"')[1])
    )


def test_edits_of_the_context_are_compared_right_around_their_record(client: Client, file: Written) -> None:
    file.turns(4)
    cleared = {"compactedToolIds": [f"toolu_{file.session[:8]}_0"]}
    micro = file.row("system", subtype="microcompact_boundary", microcompactMetadata=cleared)
    gone = [file.records[index]["uuid"] for index in (4, 5, 6, 7)]
    snip = file.row("system", subtype="snip_boundary", snipMetadata={"removedUuids": gone})
    replaced = [{"toolUseId": f"toolu_{file.session[:8]}_3", "replacement": "<persisted-output>\nat /tmp/3"}]
    file.state("content-replacement", replacements=replaced)
    transcript = file.read()
    html = page(client, transcript, f"compactions/{micro}/")
    assert "Results cleared" in html
    assert chips(html) == {"cleared": 1, "kept": 15}
    assert CLEARED in html
    html = page(client, transcript, f"compactions/{snip}/")
    assert chips(html) == {"snipped": 4, "kept": 12}
    html = page(client, transcript, f"compactions/L{transcript.entries - 1}/")
    assert "Results put on disk" in html
    assert chips(html) == {"persisted": 1, "kept": 11}


def test_a_collapsed_span_stands_beside_its_placeholder(client: Client, file: Written) -> None:
    file.turns(3)
    file.state(
        "marble-origami-commit",
        collapseId="1",
        summaryUuid="s",
        summaryContent="<collapsed>Two harbours.</collapsed>",
        firstArchivedUuid=file.records[1]["uuid"],
        lastArchivedUuid=file.records[7]["uuid"],
    )
    transcript = file.read()
    html = page(client, transcript, f"compactions/L{transcript.entries - 1}/")
    assert chips(html) == {"kept": 5, "collapsed": 7, "added": 1}
    assert "Two harbours." in html


def test_a_boundary_whose_parent_is_not_in_the_file_has_a_context_before_it(client: Client, file: Written) -> None:
    file.turns(2)
    metadata = {"trigger": "manual", "preTokens": 900}
    uuid = file.row(
        "system", subtype="compact_boundary", compactMetadata=metadata, parent=None, logicalParentUuid="nobody"
    )
    file.user("In short.", isCompactSummary=True)
    html = page(client, file.read(), f"compactions/{uuid}/")
    assert "what is sent next" in html
    assert chips(html) == {"summarised": 8, "added": 1}


def test_a_run_is_told_by_its_report(client: Client, file: Written) -> None:
    file.turns(9)
    compaction = make(file.read(), MICROCOMPACT)
    html = page(client, compaction.transcript, f"compactions/run-{compaction.pk}/")
    assert chips(html) == {"kept": 32, "cleared": 4}
    assert "An earlier result of Bash." in html
    assert "4 records lost the text of their results" in html
    assert "cleared, original in the entry" in html


def test_what_a_run_made_has_no_entry_to_link_to(client: Client, file: Written) -> None:
    for number in range(6):
        file.user(f"Question {number}: " + "how high is the water? " * 40)
        file.assistant("It is high. " * 60)
    compaction = make(file.read(), FULL)
    html = page(client, compaction.transcript, f"compactions/run-{compaction.pk}/")
    assert chips(html) == {"summarised": 11, "kept": 1, "added": 2}
    assert "made by the compaction" in html
    assert "<b>boundary</b>" in html
    links = re.findall(r'href="(/sessions/[^"]+/entries/[^"]+/)"', html)
    assert links
    assert all(client.get(link).status_code == 200 for link in set(links))


def test_a_run_that_changed_nothing_says_why(client: Client, file: Written) -> None:
    file.turns(2)
    compaction = make(file.read(), SESSION_MEMORY)
    html = page(client, compaction.transcript, f"compactions/run-{compaction.pk}/")
    assert chips(html) == {"kept": 8}
    assert compaction.report["why"] in html


def test_any_two_requests_can_be_compared(client: Client, file: Written) -> None:
    file.turns(3)
    transcript = file.read()
    first, *_, last = (
        Request.objects.filter(transcript=transcript).order_by("position").values_list("message_id", flat=True)
    )
    html = page(client, transcript, f"compare/?a=request:{first}&b=request:{last}")
    assert chips(html) == {"kept": 1, "added": 10}
    assert "request 1 of 6" in html
    assert "request 6 of 6" in html
    back = page(client, transcript, f"compare/?a={last}&b={first}")
    assert chips(back) == {"kept": 1, "dropped": 10}
    assert "It came later." in back


@pytest.mark.parametrize("name", ["next", "entry:L3", "before:L5", "after:L5", "run:{}", "run-before:{}", "{}"])
def test_every_kind_of_point_can_stand_on_either_side(client: Client, file: Written, name: str) -> None:
    boundary(file)
    compaction = make(file.read(), BUDGET, per_result="10")
    name = name.format(compaction.pk)
    for query in (f"a={name}&b=next", f"a=entry:L2&b={name}"):
        html = page(client, compaction.transcript, f"compare/?{query}")
        assert sum(chips(html).values()) > 2
    assert f'value="{name}"' in html


def test_a_point_of_a_sub_agent_is_compared_in_its_own_context(client: Client, file: Written) -> None:
    file.turns(1)
    agent = Written(project=file.project, agent="a17")
    agent.user("Look at the moorings")
    agent.assistant("There are nine.", message="msg_of_the_agent")
    agent.save(agent.path.parent, agent.path.stem)
    transcript = file.read()
    html = page(client, transcript, "compare/?a=next&b=request:msg_of_the_agent")
    assert chips(html) == {"dropped": 4, "added": 1}
    assert "The other context belongs to another agent." in html
    assert 'href="/sessions/agent-a17/entries/a17-0/"' in html
    own = page(client, Transcript.objects.get(agent_id="a17"), "compare/?a=msg_of_the_agent&b=next")
    assert chips(own) == {"kept": 1, "added": 1}


def test_without_two_points_there_is_a_form_with_what_may_be_named(client: Client, file: Written) -> None:
    boundary(file)
    compaction = make(file.read(), BUDGET)
    html = page(client, compaction.transcript, "compare/?a=next")
    assert 'name="a" value="next"' in html
    assert re.findall(r'<option value="([^"]+)">', html) == [
        "next",
        "before:L5",
        "after:L5",
        f"run:{compaction.pk}",
        f"run-before:{compaction.pk}",
    ]
    assert f'href="?a=next&amp;b=run%3A{compaction.pk}"' in html


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("compactions/no-such-uuid/", "The session has no entry no-such-uuid."),
        ("compactions/L0/", "The entry L0 is no compaction."),
        ("compactions/run-99/", "No run 99 has made a compaction."),
        ("compactions/run-x/", "No run x has made a compaction."),
        ("compare/?a=next&b=request:msg_nobody", "No request of this session was answered by msg_nobody."),
        ("compare/?a=next&b=entry:nobody", "The session has no entry nobody."),
        ("compare/?a=next&b=moon:full", "moon:full is no point of a session."),
        ("compare/?a=next&b=run:", "run: is no point of a session."),
    ],
)
def test_what_is_not_there_says_so(client: Client, file: Written, path: str, words: str) -> None:
    file.turns(1)
    response = client.get(f"/sessions/{file.read().public_id}/{path}")
    assert response.status_code == 404
    assert words in response.content.decode()


def test_a_run_of_another_session_is_not_shown(client: Client, file: Written) -> None:
    file.turns(1)
    compaction = make(file.read(), BUDGET)
    other = Written(project=file.project, session="99999999-2222-4333-8444-555555555555")
    other.turns(1)
    response = client.get(f"/sessions/{other.read().public_id}/compactions/run-{compaction.pk}/")
    assert response.status_code == 404
    assert f"Run {compaction.pk} has compacted another session." in response.content.decode()


def test_the_address_carries_filter_and_mode(client: Client, file: Written) -> None:
    uuid = boundary(file)
    transcript = file.read()
    html = page(client, transcript, f"compactions/{uuid}/?show=added,kept&view=inline")
    assert rows(html) == ["added", "kept", "added"]
    assert 'class="comparison inline"' in html
    assert re.findall(r'<a class="mk (\w+)" href="\?([^"]+)"', html) == [
        ("kept", "show=added&amp;view=inline"),
        ("summarised", "show=kept,summarised,added&amp;view=inline"),
        ("added", "show=kept&amp;view=inline"),
    ]
    assert 'href="?show=kept,added"' in html


def test_words_that_changed_are_marked_in_both_columns(client: Client, file: Written) -> None:
    for number in range(6):
        file.user(f"Question {number}: " + "how high is the water? " * 40)
        file.assistant("It is high. " * 60)
    transcript = file.read()
    first, other = make(transcript, FULL), make(transcript, FULL, most_characters="900")
    html = page(client, transcript, f"compare/?a=run:{first.pk}&b=run:{other.pk}")
    assert chips(html)["changed"] == 1
    assert html.count('<pre class="words">') == 2
    assert "<del>" in html
    place = re.search(r"part=piece&amp;open=(b\d+\.\d+)", html)
    assert place
    query = f"compare/?a=run:{first.pk}&b=run:{other.pk}&part=piece&open={place[1]}"
    whole = page(client, transcript, query, **HTMX)
    assert whole.lstrip().startswith('<div class="piece')
    assert "characters ⋯" not in whole


def test_an_opened_block_is_whole_without_scripts(client: Client, file: Written) -> None:
    file.user("high water " * 400)
    file.assistant("Yes.")
    transcript = file.read()
    assert page(client, transcript, "compare/?a=next&b=next").count("high water") < 200
    assert page(client, transcript, "compare/?a=next&b=next&open=b0.0").count("high water") > 400


@pytest.mark.parametrize("text", [PAYLOAD, "\x1b[31mred\x1b[0m \u202egnirts\u202c", "x" * 1_000_000])
def test_hostile_words_stay_words(client: Client, file: Written, text: str) -> None:
    file.user("ask")
    file.user(text)
    file.assistant(text, {"type": "tool_use", "id": text[:60], "name": text[:200], "input": {text[:90]: text}})
    file.result(text[:60], text)
    uuid = file.compacts(text)
    file.user("And now?")
    file.assistant("end", message=text[:150])
    transcript = file.read()
    position = transcript.ruler["boundaries"][0]
    for path in (f"compactions/L{position}/", f"compare/?a=entry:L0&b=entry:{uuid}", "compare/?a=<b>&b="):
        response = client.get(f"/sessions/{transcript.public_id}/{path}")
        html = response.content.decode()
        assert response.status_code == 200
        assert "<script>alert" not in html
        assert "<img src=x" not in html
        assert "\x1b" not in html
        assert "\u202e" not in html
        assert len(html) < 150_000


def test_secrets_are_masked(client: Client, file: Written) -> None:
    secret = "ghp_EXAMPLEexampleEXAMPLEexampleEXAMPLE0"
    file.user(f"Use {secret} " + "and look. " * 300)
    file.assistant(f"I use {secret}. " * 200)
    file.compacts(f"The token is {secret}.")
    transcript = file.read()
    first, other = make(transcript, FULL), make(transcript, FULL, most_characters="600")
    position = transcript.ruler["boundaries"][0]
    paths = [f"compactions/L{position}/", f"compactions/run-{first.pk}/", f"compare/?a=run:{first.pk}&b=run:{other.pk}"]
    for path in [*paths, f"{paths[0]}?part=piece&open=b0.0"]:
        assert secret not in page(client, transcript, path, **(HTMX if "part=" in path else {}))


def test_it_says_what_may_be_sent_and_which_thinking_died(client: Client, file: Written) -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "signed"}
    file.user("Look")
    file.call("Bash", "toolu_1", command="tide")
    file.result("toolu_1", "2.44 m")
    answer = file.assistant(thought, "It is 2.44 m.")
    cleared = {"compactedToolIds": ["toolu_1"]}
    edit = file.row("system", subtype="microcompact_boundary", microcompactMetadata=cleared)
    file.user("And now?")
    file.assistant("The same.", message="msg_last")
    transcript = file.read()
    html = page(client, transcript, f"compactions/{edit}/")
    assert "Thinking blocks: 1 before, 1 after." in html
    assert "1 of what is left no longer holds" in html
    assert "The API would refuse what comes after, as it stands." in html
    assert 'href="?&amp;open=a3#rows">message 4</a>' in html
    sent = page(client, transcript, f"compare/?a=entry:{answer}&b=request:msg_last")
    assert "What comes after was sent, and the API answered." in sent
    assert "The API took them all the same." in sent
    whole = page(client, transcript, f"compare/?a=entry:{answer}&b=entry:{answer}")
    assert "All that are left still hold." in whole
    assert "What comes after may be sent" in whole


def test_the_totals_are_those_of_the_context_tab(client: Client, file: Written) -> None:
    boundary(file)
    transcript = file.read()
    html = page(client, transcript, "compare/?a=next&b=next")
    context = load_context(transcript, point_next(transcript))
    total = sizes_of(context, weigh(context, weight_table(transcript), None)).total
    output = [size.tokens for size in sizes_in(html) if size.of.startswith("messages only")]
    assert output == [total] * 4
