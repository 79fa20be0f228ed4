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
    sessions = lucid.sessions(folder)
    verdicts, misses = _requests(logged, sessions, version)
    true = {truth.message: truth for session in sessions for truth in _truths(session, logged)}
    text = {name: item for session in sessions for name, item in lucid.breaks(session).items()}
    for name in sorted(true.keys() | text.keys()):
        if (miss := explain_break(version, true.get(name), text.get(name))) is not None:
            misses.append(miss)
    both = true.keys() & text.keys()
    right = sum(text[name]["causes"][0] == true[name].cause for name in both)
    return Judgement(verdicts, len(true), len(both), len(text.keys() - true.keys()), right, misses)


def _requests(logged: list[Json], sessions: list[lucid.Session], version: str) -> tuple[list[Verdict], list[Miss]]:
    contexts: dict[str, tuple[str, Json]] = {}
    for session in sessions:
        for name, context in lucid.contexts(session):
            # A fork has the requests of its session too, which are better known there.
            contexts.setdefault(context["request"], (name, context))
    verdicts, misses = [], []
    for item in _compared(logged, contexts.keys()):
        agent, text = contexts.get(item["response"]["id"]) or ("", None)
        messages = text["messages"] if text else None
        result = verdict(item, messages, agent=bool(agent) or item["kind"] == Kind.SUB)
        verdicts.append(result)
        if not (result.conversation and result.whole):
            misses.append(explain_request(version, result, item, text))
    return verdicts, misses


def _compared(logged: list[Json], known: Collection[str]) -> list[Json]:
    """All that must have an answer on file, and whatever else has one."""
    due = {item["response"]["id"] for item in answered(logged)} | set(known)
    return [item for item in logged if item["response"] and item["response"]["id"] in due]


def _truths(session: lucid.Session, logged: list[Json]) -> list[Truth]:
    sent = {item["response"]["id"]: item for item in logged if item["response"]}
    compacted = [item["n"] for item in logged if item["kind"] == Kind.COMPACT]
    return [
        truth
        for messages in session.threads.values()
        for truth in truths([sent[name] for name in messages if name in sent], compacted)
    ]
