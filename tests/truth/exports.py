"""Compactions that are exported, and resumed by the client: it sends what Lucid says that it would."""

from __future__ import annotations

import json
import re
from typing import Any

from sessions.context.engine.digest import digest, hashed_text
from tests.truth import lucid
from tests.truth.misses import UNEXPLAINED, Miss, explain_export
from tests.truth.script import GO_ON
from tests.truth.visit import OPUS, NotPlayedError, Visit
from tests.truth.wire import Json, Kind, blocks_of

Said = list[tuple[Any, ...]]
_COLLAPSE = ("keep_tokens=100", "least=50", "least_score=0")
SETTINGS = {"budget": ("per_result=400", "preview=100"), "collapse": _COLLAPSE}
"""Such that there is something to do in a short session."""
NOTIFICATION = re.compile(r"<task-notification>.*</task-notification>", re.DOTALL)


def resume_export(visit: Visit, session: str, kind: str) -> list[Miss]:
    """Empty if the client went on with what was exported."""
    settings = [part for item in SETTINGS.get(kind, ()) for part in ("--set", item)]
    made = json.loads(lucid.ask("compact", session, "--kind", kind, "--json", *settings))
    if made["before"] == made["after"]:
        return [Miss("export", UNEXPLAINED, f"{kind}: there was nothing to compact")]
    written = json.loads(lucid.ask("export", str(made["run"]), "--to", str(visit.home.sessions), "--json"))
    lucid.ask("import", written["path"])
    context = json.loads(lucid.ask("context", written["session_id"], "--json"))
    count = len(visit.model.sent)
    try:
        visit.say(GO_ON, "--resume", written["session_id"], model=context["model"] or OPUS)
    except NotPlayedError as error:
        return [Miss("export", UNEXPLAINED, f"{kind}: not resumed: {error}")]
    # Errands of the client quote the prompt too.
    request = [message.body["messages"] for message in visit.model.sent[count:] if message.kind is not Kind.SIDE]
    sent = [messages for messages in request if GO_ON in json.dumps(messages)]
    if not sent:
        return [Miss("export", UNEXPLAINED, f"{kind}: the prompt was not sent")]
    theirs, ours = conversation(sent[0]), conversation(context["messages"])
    return explain_export(kind, _difference(theirs, ours))


def _difference(sent: Said, ours: Said) -> str:
    """Empty if the client goes on with exactly what Lucid tells."""
    try:
        theirs = without_news(sent, ours, GO_ON)
    except ValueError as error:
        return str(error)
    for place, (item, other) in enumerate(zip(theirs, ours, strict=False)):
        if item != other:
            return f"block {place}: sent {item}, said {other}"
    return "" if len(theirs) == len(ours) else f"{len(theirs)} blocks sent, {len(ours)} said"


def conversation(messages: list[Json]) -> Said:
    """The conversation: without what the client puts around it."""
    results = []
    for message in messages:
        for block in blocks_of(message["content"]):
            match = NOTIFICATION.search(hashed_text(block)) if block["type"] == "text" else None
            # It is sent within a reminder, which says that no person wrote it.
            known = digest({"type": "text", "text": match[0]}) if match else digest(block)
            if known.get("injected"):
                continue
            name = known.get("id") or known.get("tool_use_id")
            words = hashed_text(block).strip() if message["role"] == "system" else known["core"]
            results.append((message["role"], known["type"], name, words))
    return results


def without_news(theirs: Said, ours: Said, words: str) -> Said:
    """Without what this turn brought: the words, and notes of its own, which may follow ours in the same message."""
    request = ("user", "text", None, digest({"type": "text", "text": words})["core"])
    if theirs.count(request) != 1:
        raise ValueError(f"the prompt was sent {theirs.count(request)} times")
    rest = [item for item in theirs if item != request]
    if any(role != "system" for role, *_ in rest[len(ours) :]):
        raise ValueError("more was sent than the export holds")
    return [
        mine if item[0] == mine[0] == "system" and item[3].startswith(mine[3]) else item
        for item, mine in zip(rest, ours, strict=False)
    ]
