"""Calls that turn to somebody: a sub-agent, the person at the prompt, a skill's author."""

from __future__ import annotations

import re

from sessions.text.engine.words import duration, plural, tokens
from sessions.timeline.engine.cards.card import (
    Fold,
    Part,
    Question,
    Questions,
)
from sessions.timeline.engine.cards.lens import (
    ANSWER,
    BRIEF,
    OUTPUT,
    THOUGHT,
    Lens,
)
from sessions.timeline.engine.cards.safe_get import (
    items,
    joined,
    number,
    table,
    tables,
    text,
    word,
)
from sessions.timeline.engine.cards.tools.call import Call, Sketch, known

_AGENT = re.compile(r"agent_?Id: ([A-Za-z0-9_@.-]{1,120})", re.IGNORECASE)
_TRAILER = re.compile(r"\n?agentId: [^\n]{0,400}(?:\n<usage>.{0,2000}?</usage>)?\s*\Z", re.DOTALL)
_STATES = {"async_launched": "started in the background", "teammate_spawned": "joined as a team mate"}


def agent(call: Call, lens: Lens) -> Sketch:
    facts = call.facts
    status = text(facts.get("status"))
    return Sketch(
        summary=lens.line(call.given("description") or call.given("prompt")),
        facts=known(
            lens.line(call.given("subagent_type") or text(facts.get("agentType")), 60),
            lens.line(call.given("name"), 40),
            _STATES.get(status, lens.line(status, 40)),
            *_spent(call),
        ),
        parts=(*_brief(call, lens), *_answer(call, lens)),
        agent_id=agent_id(call)[:120],
    )


def agent_id(call: Call) -> str:
    recorded = text(call.facts.get("agentId")) or text(call.facts.get("agent_id"))
    if recorded or not call.outcome:
        return recorded
    found = _AGENT.search(call.outcome.text[-1500:])
    return found[1] if found else ""


def _spent(call: Call) -> tuple[str, ...]:
    took, spent, uses = (number(call.facts.get(key)) for key in ("totalDurationMs", "totalTokens", "totalToolUseCount"))
    return (
        duration(took) if took is not None else "",
        f"{tokens(spent)} tokens" if spent is not None else "",
        plural(int(uses), "call") if uses is not None else "",
    )


def _brief(call: Call, lens: Lens) -> tuple[Part, ...]:
    body = lens.plain(call.given("prompt"), THOUGHT)
    return (Fold("Prompt", body),) if body else ()


def _answer(call: Call, lens: Lens) -> tuple[Part, ...]:
    if not call.ok or text(call.facts.get("status")) in _STATES:
        return ()
    return lens.prose(_TRAILER.sub("", joined(call.facts.get("content")) or call.text), THOUGHT)


def message(call: Call, lens: Lens) -> Sketch:
    to = call.given("to", "recipient")
    words = call.given("message", "content")
    return Sketch(
        summary=lens.line(" ".join(known(f"to {to}" if to else "", call.given("summary")))),
        parts=(*lens.plain(words, OUTPUT), *lens.output(call.text, BRIEF)),
    )


def questions(call: Call, lens: Lens) -> Sketch:
    asked = tables(call.input.get("questions")) or tables(call.facts.get("questions"))
    answers = table(call.facts.get("answers")) or table(call.input.get("answers"))
    rows = [
        Question(
            lens.line(text(one.get("question")), lens.width(400)),
            tuple(lens.line(text(option.get("label")), 100) for option in tables(one.get("options"))[:12]),
            lens.line(_said(answers.get(text(one.get("question")))), 400),
        )
        for one in asked[:12]
    ]
    lens.tally.size += sum(len(row.text) + sum(map(len, row.options)) + len(row.answer) for row in rows)
    answered = sum(bool(row.answer) for row in rows)
    return Sketch(
        summary=lens.line(text(asked[0].get("header")) or text(asked[0].get("question"))) if asked else "",
        facts=known(f"{answered} of {len(rows)} answered" if rows and call.ok else ""),
        parts=(Questions(tuple(rows)),) if rows else lens.output(call.text, OUTPUT),
    )


def _said(answer: object) -> str:
    return ", ".join(known(*map(word, items(answer)))) if isinstance(answer, list) else word(answer)


def plan(call: Call, lens: Lens) -> Sketch:
    body = call.given("plan") or text(call.facts.get("plan"))
    where = call.given("planFilePath") or text(call.facts.get("filePath"))
    return Sketch(
        summary=lens.line(where),
        facts=known("approved" if call.ok else "not approved" if call.outcome else ""),
        parts=lens.prose(body, ANSWER) or lens.output(call.text, BRIEF),
    )


def skill(call: Call, lens: Lens) -> Sketch:
    name = call.given("skill", "command") or text(call.facts.get("commandName"))
    return Sketch(
        summary=lens.line(" ".join(known(name, call.given("args")))),
        facts=known("failed" if call.facts.get("success") is False else ""),
    )
