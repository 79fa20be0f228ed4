"""Walks the pages and commands that show sizes, and holds the sizes of one thing against each other."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from io import StringIO
from typing import Any
from urllib.parse import quote

from django.core.management import call_command
from django.test import Client

from compaction.models import Compaction
from sessions.context.engine.tally import Category
from sessions.context.selectors.contexts import load_context, point_of_request
from sessions.context.selectors.steps import load_steps, locate_steps
from sessions.models import Transcript
from sessions.text.engine.words import tokens
from sessions.weights.selectors import weight_table
from tests.pages import fetch, sizes_in

Size = tuple[int | None, str]
CATEGORIES = frozenset(map(str, Category))
MOST_REQUESTS = 3
MOST_BOUNDARIES = 3


class SizeWalk:
    def __init__(self, client: Client, *, pages_only: bool = False) -> None:
        """`pages_only`: because commands measure what was not measured yet."""
        self.client = client
        self.pages_only = pages_only
        self.sizes: dict[str, dict[Size, str]] = defaultdict(dict)
        """By thing: each size that it has, and where."""
        self.places: dict[str, set[str]] = defaultdict(set)
        """By thing: where its size is shown."""

    @property
    def contradictions(self) -> dict[str, dict[Size, str]]:
        return {thing: sizes for thing, sizes in self.sizes.items() if len(sizes) > 1}

    def messages(self) -> dict[str, dict[Size, str]]:
        """Those of single messages."""
        return {thing: sizes for thing, sizes in self.sizes.items() if thing.startswith("message ")}

    def page(self, address: str) -> str:
        html = fetch(self.client, address)
        for size in sizes_in(html):
            # A part of a joined message may be as sure as the whole message or less, so only its tokens are compared.
            basis = "" if size.of.partition(" ")[0] in CATEGORIES else size.basis
            self.see(size.of, (size.tokens, basis), address)
        return html

    def see(self, thing: str, size: Size, place: str) -> None:
        self.sizes[thing].setdefault(size, place)
        self.places[thing].add(place)

    def see_json(self, point: str, value: dict[str, Any], place: str) -> None:
        """The size of a prompt, as commands print it."""
        for name, of in (("whole_prompt", "whole prompt"), ("messages_only", "messages only")):
            if value[name]["tokens"] is not None:
                self.see(f"{of} {point}", (value[name]["tokens"], value[name]["basis"]), place)

    def session(self, transcript: Transcript) -> None:
        """The pages that show what a session and its sub-agents have used in all, and how large they were."""
        root = f"/sessions/{quote(transcript.public_id)}/"
        for place in ("", "agents/", "agents/prefixes/", "context/", "context/?next=1", "notes/?due=1"):
            self.page(f"{root}{place}")
        for request in document("requests", transcript.public_id):
            owner = point_of_request(transcript, request["message_id"])[0]
            prompt = sum(request[name] for name in ("input", "cache_read", "cache_write_5m", "cache_write_1h"))
            thing = f"whole prompt request {owner.public_id} {quote(request['message_id'])}"
            if prompt and thing in self.sizes:
                self.see(thing, (prompt, "measured"), "requests --json")

    def lists(self) -> None:
        for address in ("/", "/sessions/"):
            self.page(address)
        for session in document("sessions"):
            self.see(f"spent {session['id']}", (session["tokens"], "measured"), "sessions --json")

    def transcript(self, transcript: Transcript) -> None:
        """All of its pages that show sizes of prompts and messages."""
        root = f"/sessions/{quote(transcript.public_id)}/"
        self.page(f"{root}context/?next=1")
        self.page(f"{root}compactions/")
        self.page(f"{root}compact/?kind=full&forecast=1")
        for request in _requests(transcript):
            name = quote(request, safe="")
            self.page(f"{root}context/?request={name}")
            self._adds_up(self.page(f"{root}context/changes/?request={name}"))
            self.page(f"{root}requests/{name}/")
            self.page(f"{root}compare/?a=request:{name}&b=next")
            if self.pages_only or load_context(transcript, point_of_request(transcript, request)[1]).is_copied:
                continue  # the command shows it as the session that it was copied from had it
            arguments = ["--agent", transcript.agent_id] if transcript.parent_id else []
            printed = document("context", _session(transcript), *arguments, "--request", request)
            self.see_json(
                f"request {transcript.public_id} {quote(request)}", printed["size"], f"context --request {request}"
            )
        for size in weight_table(transcript).boundaries[-MOST_BOUNDARIES:]:
            comparison = self.page(f"{root}compactions/L{size.position}/")
            if size.position in transcript.ruler.get("boundaries", ()):
                self.page(f"{root}compact/?kind=full&forecast=1&at=L{size.position}")
                self._sentences(f"{root}entries/L{size.position}/", comparison, size.before.weight.tokens)

    def _adds_up(self, changes: str) -> None:
        """The parts of the difference between two prompts."""
        total = re.search(r'data-difference="(-?\d+)"', changes)
        if total is not None:
            sizes = [size.tokens or 0 for size in sizes_in(changes) if not size.of.startswith(("message", "spent"))]
            assert sum(map(int, re.findall(r'data-part="(-?\d+)"', changes))) == int(total[1])
            assert sizes[1] - sizes[0] == int(total[1])

    def _sentences(self, entry: str, comparison: str, before: float) -> None:
        """Titles and cards hold sizes as words."""
        words = tokens(before, estimate=True)
        for place, html in ((entry, self.page(entry)), ("comparison", comparison)):
            output = re.search(r"Compacted [^<]*? at (~?[\d.]+[kM]?) tokens", html)
            if output:
                assert output[1] == words, (place, output[1], words)

    def compaction(self, transcript: Transcript, kind: str, *settings: str) -> None:
        """Makes one, and looks at all that shows it."""
        arguments = ["--agent", transcript.agent_id] if transcript.parent_id else []
        printed = document("compact", _session(transcript), *arguments, "--kind", kind, *settings)
        made = Compaction.objects.get(pk=printed["id"])
        root = f"/sessions/{quote(transcript.public_id)}/"
        point = f"point {transcript.public_id} {made.position} {made.link}"
        self.see_json(point, printed["before"], f"compact --kind {kind}")
        self.see_json(f"after {made.pk}", printed["after"], f"compact --kind {kind}")
        listed = self.page(f"{root}compactions/")
        comparison = self.page(f"{root}compactions/run-{made.number}/")
        for size in sizes_in(listed):
            if size.of == f"summary {made.pk}":
                assert f"became a summary of {tokens(size.tokens, estimate=True)} tokens" in comparison
        self.page(f"{root}compact/?kind={kind}&forecast=1")


def document(command: str, *arguments: str) -> Any:
    out = StringIO()
    call_command(command, *arguments, "--json", stdout=out)
    return json.loads(out.getvalue())


def _session(transcript: Transcript) -> str:
    return transcript.parent.public_id if transcript.parent_id and transcript.parent else transcript.public_id


def _requests(transcript: Transcript) -> Iterator[str]:
    """The first, the last, and those that follow a compaction."""
    steps = locate_steps(load_steps(transcript), transcript).steps
    rows = [(step.position, step.message_id) for step in steps]
    boundaries = transcript.ruler.get("boundaries", ())
    after = [next((name for position, name in rows if position > boundary), None) for boundary in boundaries]
    chosen = [*(name for _, name in rows[:1]), *after[-MOST_BOUNDARIES:], *(name for _, name in rows[-1:])]
    yield from [name for name in dict.fromkeys(chosen) if name][: MOST_REQUESTS + MOST_BOUNDARIES]
