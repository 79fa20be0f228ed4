from __future__ import annotations

import re
import time
from pathlib import Path
from zlib import crc32

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sessions.models import Transcript
from tests.pages import fetch
from tests.sessions.agents.engine.records import notice
from tests.sessions.hostile import PAYLOAD
from tests.sessions.writing import named, stamp
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
AGENT = re.compile(r'<li id="agent-([^"]+)" class="agent is-(\w+)( current)?"')


@pytest.fixture
def file(tmp_path: Path) -> Written:
    return Written(project=tmp_path / "projects" / "-home-dev-tidewatch")


def page(client: Client, transcript: Transcript, rest: str = "", **headers: str) -> str:
    return fetch(client, f"/sessions/{transcript.public_id}/agents/{rest}", **headers)


def agent(file: Written, name: str, prompt: str = "Count the tides") -> Written:
    made = Written(project=file.project, agent=name, clock=file.clock, count=crc32(name.encode()))
    made.user(prompt)
    return made


def started(file: Written, name: str, *, description: str = "Count the tides", result: str = "Four") -> Written:
    """An agent that was called, worked and came back; its file is written when it is saved."""
    tool = f"toolu_{name}"
    file.call("Task", tool, description=description, subagent_type="Explore", prompt="Count the tides")
    made = agent(file, name)
    made.call("Read", f"toolu_in_{name}", file_path="/home/dev/heights.py")
    made.result(f"toolu_in_{name}", "4")
    made.assistant(result)
    file.clock = made.clock
    file.result(tool, result, toolUseResult={"status": "completed", "agentId": name})
    return made


def saved(*agents: Written) -> None:
    for agent in agents:
        agent.save(agent.path.parent, agent.path.stem)


def agents(html: str) -> list[tuple[str, str]]:
    return [(key, state) for key, state, _ in AGENT.findall(html)]


def test_agents_stand_below_who_started_them_with_what_they_spent(client: Client, file: Written) -> None:
    file.user("Count")
    outer = started(file, "a1", description="Count all harbours")
    outer.call("Agent", "toolu_a2", description="Count Port Hallow", prompt="Count")
    inner = agent(file, "a2")
    inner.assistant("Two", output=77)
    outer.result("toolu_a2", "Two\nagentId: a2 (use SendMessage)")
    saved(outer, inner)

    html = page(client, file.read())

    assert agents(html) == [("a1", "ended"), ("a2", "ended")]
    nested = html[html.index('id="agent-a1"') :]
    assert nested.index("<ul>") < nested.index('id="agent-a2"') < nested.index("</ul>")
    assert "Count Port Hallow" in html
    assert "77 output" in html
    assert "2 agents" in html
    assert '">Call: entry 1</a>' in html
    assert '">Result: entry 2</a>' in html


def test_an_agents_own_tab_is_its_sessions_with_the_agent_marked(client: Client, file: Written) -> None:
    file.user("Count")
    saved(started(file, "a1"), started(file, "a2"))
    session = file.read()
    own = Transcript.objects.get(agent_id="a2")

    response = client.get(f"/sessions/{own.public_id}/agents/")

    assert response["Location"] == f"/sessions/{session.public_id}/agents/?agent=a2#agent-a2"
    assert [key for key, _, current in AGENT.findall(page(client, session, "?agent=a2")) if current] == ["a2"]


def test_agents_in_the_sessions_own_file_have_figures_of_their_own(client: Client, file: Written) -> None:
    file.user("Count")
    for name, prompt in (("one", "Count the tides"), ("two", "Count the harbours")):
        file.call("Task", f"toolu_{name}", description=f"Agent {name}", subagent_type="Explore", prompt=prompt)
    leaf = file.leaf
    leaves: dict[str, str] = {}
    for step in range(2):  # both at once, row by row
        for name, prompt in (("one", "Count the tides"), ("two", "Count the harbours")):
            if step:
                uuid = file.assistant(f"Done by {name}", isSidechain=True, parent=leaves[name], output=40)
            else:
                uuid = file.user(prompt, isSidechain=True, parent=None)
            leaves[name] = uuid
    file.leaf = leaf
    file.result("toolu_one", "One is done")
    file.result("toolu_two", "Two went wrong", error=True)
    session = file.read()

    html = page(client, session)

    assert agents(html) == [("L3", "ended"), ("L4", "failed")]
    assert html.count("40 output</span>") == 2
    assert html.count("2 entries") == 2
    assert "Agent one" in html
    assert [word in page(client, session, "messages/") for word in ("One is done", "Agent two")] == [True, True]
    assert "its first request" in page(client, session, "prefixes/?agent=L3")


def test_an_agent_whose_file_is_gone_is_listed_with_its_call(client: Client, file: Written) -> None:
    file.user("Count")
    file.call("Agent", "toolu_1", name="reviewer", description="Review the table", prompt="Review")
    file.result("toolu_1", "Spawned", toolUseResult={"status": "teammate_spawned"})
    file.user('<teammate-message teammate_id="reviewer">Revise it</teammate-message>')
    session = file.read()

    html = page(client, session)
    assert "no transcript here" in html
    assert "Review the table" in html
    messages = page(client, session, "messages/")
    assert "no transcript here" in messages
    assert "Revise it" in messages


def test_a_session_without_agents_says_so(client: Client, file: Written) -> None:
    file.turns(1)
    assert "This session started none." in page(client, file.read())


def test_messages_lead_to_their_entries_in_whichever_file(client: Client, file: Written) -> None:
    file.user("Count")
    item = started(file, "a1")
    item.call("SendMessage", "toolu_9", to="main", message="Half of them")
    file.clock = item.clock
    output = notice("a1", "toolu_a1", result="All of them")
    file.state("queue-operation", operation="enqueue", timestamp=stamp(file.clock + 500), content=output)
    file.user(output)
    saved(item)
    session = file.read()
    own = Transcript.objects.get(agent_id="a1")

    html = page(client, session, "messages/", **HTMX, **{"HX-Target": "agent-messages"})

    assert html.startswith('<section id="agent-messages"')
    words = re.findall(r'class="arrow is-(\w+)', html)
    assert words == ["task", "result", "message", "notice"]
    assert f'href="/sessions/{own.public_id}/?at=4#e4"' in html
    assert f'href="/sessions/{session.public_id}/?at=4#e4"' in html


def test_thousands_of_messages_come_in_pages(client: Client, file: Written) -> None:
    file.user("Count")
    item = started(file, "a1")
    for number in range(400):
        file.call("SendMessage", f"toolu_m{number}", to="a1", message=f"Message {number}")
    saved(item)
    session = file.read()

    first, last = page(client, session, "messages/"), page(client, session, "messages/?page=3")

    assert first.count('class="arrow') == 150
    assert last.count('class="arrow') == 102
    assert "Message 399" in last
    assert len(first) < 400_000


def test_a_fork_shares_its_parents_messages_byte_for_byte(client: Client, file: Written) -> None:
    file.user("Count the harbours", uuid=named("shared 1"))
    file.assistant("There are three", uuid=named("shared 2"))
    file.user("Count the tides, too", uuid=named("shared 3"))
    file.call("Agent", "toolu_f", subagent_type="fork", description="Forked", prompt="Count")
    fork = Written(project=file.project, agent="f1", clock=file.clock)
    for record in file.records[:3]:
        fork.records.append({**record, "isSidechain": True, "agentId": "f1"})
    fork.leaf, fork.count = named("shared 3"), 3
    fork.user("You are a fork. Count.")
    fork.assistant("Four", usage={"input_tokens": 5, "cache_read_input_tokens": 8_123, "output_tokens": 2})
    file.result("toolu_f", "Four", toolUseResult={"status": "completed", "agentId": "f1"})
    saved(fork)
    plain = started(file, "a1")
    saved(plain)
    session = file.read()

    html = page(client, session, "prefixes/?agent=f1", **HTMX)

    assert html.startswith('<div class="prefix"')
    assert "The first 2 messages of 3 are the parent&#x27;s, byte for byte." in html
    assert "8.1k of 8.1k tokens" in html
    assert html.count(">unknown</span>") == 2
    assert "No message is the same from the start" in page(client, session, "prefixes/")
    assert client.get(f"/sessions/{session.public_id}/agents/prefixes/?agent=nobody").status_code == 404


def test_hundreds_of_agents_take_few_queries_and_stay_readable(client: Client, file: Written) -> None:
    file.user("Count")
    many = [started(file, f"a{number:03d}") for number in range(300)]
    for silent in range(20):
        many.append(agent(file, f"s{silent:02d}"))
        many[-1].clock = int(time.time() * 1000)
        many[-1].call("Read", f"toolu_s{silent}", file_path="heights.py")
    saved(*many)
    session = file.read()
    most = {"": 16, "?page=4": 16, "messages/": 20, "prefixes/": 45, "prefixes/?agent=a250": 20, "summaries/": 30}
    for rest, limit in most.items():
        with CaptureQueriesContext(connection) as queries:
            html = page(client, session, rest)
        assert len(queries) <= limit, (rest, len(queries))
        assert len(html) < 500_000, rest
    assert len(agents(page(client, session))) == 100
    assert ("s19", "running") in agents(page(client, session, "?agent=s19"))
    assert "<details open>" not in page(client, session)


def test_nothing_in_an_agents_words_or_names_is_executed_or_leaked(client: Client, file: Written) -> None:
    secret = "sk-ant-api03-" + "Ab9" * 20
    file.user("Count")
    item = started(file, "a1", description=f"{PAYLOAD} {secret}", result=f"{PAYLOAD} {secret}")
    file.call("SendMessage", "toolu_s", to=PAYLOAD, message=f"{secret} {PAYLOAD}")
    file.call("Agent", "toolu_g", name=PAYLOAD, subagent_type=PAYLOAD, description=PAYLOAD, prompt="x")
    saved(item)
    session = file.read()
    for rest in ("", "messages/", "prefixes/", "summaries/"):
        html = page(client, session, rest)
        assert secret not in html, rest
        assert PAYLOAD not in html, rest
