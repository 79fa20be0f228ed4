"""A recording, as a folder of transcripts and a log of requests, held against what Lucid says of it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from tests.truth import lucid
from tests.truth.compare import Verdict, answered, verdict
from tests.truth.misses import Miss, explain_break, explain_request
from tests.truth.oracle import Truth, truths
from tests.truth.report import Judgement
from tests.truth.wire import Json, Kind, rows


def judge(folder: Path, version: str) -> Judgement:
    logged = rows(folder)
    told = lucid.sessions(folder)
    verdicts, misses = _requests(logged, told, version)
    true = {one.message: one for session in told for one in _truths(session, logged)}
    said = {name: one for session in told for name, one in lucid.breaks(session).items()}
    for name in sorted(true.keys() | said.keys()):
        if (miss := explain_break(version, true.get(name), said.get(name))) is not None:
            misses.append(miss)
    both = true.keys() & said.keys()
    right = sum(said[name]["causes"][0] == true[name].cause for name in both)
    return Judgement(verdicts, len(true), len(both), len(said.keys() - true.keys()), right, misses)


def _requests(logged: list[Json], told: list[lucid.Session], version: str) -> tuple[list[Verdict], list[Miss]]:
    contexts: dict[str, tuple[str, Json]] = {}
    for session in told:
        for name, context in lucid.contexts(session):
            # A fork has the requests of its session too, which are better known there.
            contexts.setdefault(context["request"], (name, context))
    verdicts, misses = [], []
    for one in _compared(logged, contexts.keys()):
        agent, said = contexts.get(one["response"]["id"]) or ("", None)
        messages = said["messages"] if said else None
        found = verdict(one, messages, agent=bool(agent) or one["kind"] == Kind.SUB)
        verdicts.append(found)
        if not (found.conversation and found.whole):
            misses.append(explain_request(version, found, one, said))
    return verdicts, misses


def _compared(logged: list[Json], known: Collection[str]) -> list[Json]:
    """All that must have an answer on file, and whatever else has one."""
    due = {one["response"]["id"] for one in answered(logged)} | set(known)
    return [one for one in logged if one["response"] and one["response"]["id"] in due]


def _truths(session: lucid.Session, logged: list[Json]) -> list[Truth]:
    sent = {one["response"]["id"]: one for one in logged if one["response"]}
    compacted = [one["n"] for one in logged if one["kind"] == Kind.COMPACT]
    return [
        truth
        for messages in session.threads.values()
        for truth in truths([sent[name] for name in messages if name in sent], compacted)
    ]
