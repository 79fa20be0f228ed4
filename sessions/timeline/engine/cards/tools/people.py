"""Tools that address somebody: sub-agents, messages, questions and plans for the person, skills."""

from __future__ import annotations

import re

from sessions.text.engine.words import duration, plural, tokens
from sessions.timeline.engine.cards.card import Fold, Part, Question, Questions
from sessions.timeline.engine.cards.lens import ANSWER, BRIEF, OUTPUT, THOUGHT, Lens
from sessions.timeline.engine.cards.safe_get import as_dict, as_dicts, as_list, as_number, as_text, as_word, joined_text
from sessions.timeline.engine.cards.tools.call import Call, CallDescription, drop_empty

_AGENT = re.compile(r"agent_?Id: ([A-Za-z0-9_@.-]{1,120})", re.IGNORECASE)
_TRAILER = re.compile(r"\n?agentId: [^\n]{0,400}(?:\n<usage>.{0,2000}?</usage>)?\s*\Z", re.DOTALL)
_STATES = {"async_launched": "started in the background", "teammate_spawned": "joined as a team mate"}


def describe_agent(call: Call, lens: Lens) -> CallDescription:
    facts = call.facts
    status = as_text(facts.get("status"))
    return CallDescription(
        summary=lens.line(call.input_text("description") or call.input_text("prompt")),
        facts=drop_empty(
            lens.line(call.input_text("subagent_type") or as_text(facts.get("agentType")), 60),
            lens.line(call.input_text("name"), 40),
            _STATES.get(status, lens.line(status, 40)),
            *_usage_facts(call),
        ),
        parts=(*_prompt_parts(call, lens), *_answer_parts(call, lens)),
        agent_id=_agent_id(call)[:120],
    )


def _agent_id(call: Call) -> str:
    recorded = as_text(call.facts.get("agentId")) or as_text(call.facts.get("agent_id"))
    if recorded or not call.result:
        return recorded
    match = _AGENT.search(call.result.text[-1500:])
    return match[1] if match else ""


def _usage_facts(call: Call) -> tuple[str, ...]:
    took, spent, uses = (
        as_number(call.facts.get(key)) for key in ("totalDurationMs", "totalTokens", "totalToolUseCount")
    )
    return (
        duration(took) if took is not None else "",
        f"{tokens(spent)} tokens" if spent is not None else "",
        plural(int(uses), "call") if uses is not None else "",
    )


def _prompt_parts(call: Call, lens: Lens) -> tuple[Part, ...]:
    body = lens.plain(call.input_text("prompt"), THOUGHT)
    return (Fold("Prompt", body),) if body else ()


def _answer_parts(call: Call, lens: Lens) -> tuple[Part, ...]:
    if not call.has_succeeded or as_text(call.facts.get("status")) in _STATES:
        return ()
    return lens.prose(_TRAILER.sub("", joined_text(call.facts.get("content")) or call.text), THOUGHT)


def describe_message(call: Call, lens: Lens) -> CallDescription:
    to = call.input_text("to", "recipient")
    words = call.input_text("message", "content")
    return CallDescription(
        summary=lens.line(" ".join(drop_empty(f"to {to}" if to else "", call.input_text("summary")))),
        parts=(*lens.plain(words, OUTPUT), *lens.output(call.text, BRIEF)),
    )


def describe_questions(call: Call, lens: Lens) -> CallDescription:
    questions = as_dicts(call.input.get("questions")) or as_dicts(call.facts.get("questions"))
    answers = as_dict(call.facts.get("answers")) or as_dict(call.input.get("answers"))
    rows = [
        Question(
            lens.line(as_text(question.get("question")), lens.line_width(400)),
            tuple(lens.line(as_text(option.get("label")), 100) for option in as_dicts(question.get("options"))[:12]),
            lens.line(_answer_text(answers.get(as_text(question.get("question")))), 400),
        )
        for question in questions[:12]
    ]
    lens.tally.size += sum(len(row.text) + sum(map(len, row.options)) + len(row.answer) for row in rows)
    answered = sum(bool(row.answer) for row in rows)
    return CallDescription(
        summary=lens.line(as_text(questions[0].get("header")) or as_text(questions[0].get("question")))
        if questions
        else "",
        facts=drop_empty(f"{answered} of {len(rows)} answered" if rows and call.has_succeeded else ""),
        parts=(Questions(tuple(rows)),) if rows else lens.output(call.text, OUTPUT),
    )


def _answer_text(answer: object) -> str:
    return ", ".join(drop_empty(*map(as_word, as_list(answer)))) if isinstance(answer, list) else as_word(answer)


def describe_plan(call: Call, lens: Lens) -> CallDescription:
    body = call.input_text("plan") or as_text(call.facts.get("plan"))
    path = call.input_text("planFilePath") or as_text(call.facts.get("filePath"))
    return CallDescription(
        summary=lens.line(path),
        facts=drop_empty("approved" if call.has_succeeded else "not approved" if call.result else ""),
        parts=lens.prose(body, ANSWER) or lens.output(call.text, BRIEF),
    )


def describe_skill(call: Call, lens: Lens) -> CallDescription:
    name = call.input_text("skill", "command") or as_text(call.facts.get("commandName"))
    return CallDescription(
        summary=lens.line(" ".join(drop_empty(name, call.input_text("args")))),
        facts=drop_empty("failed" if call.facts.get("success") is False else ""),
    )
