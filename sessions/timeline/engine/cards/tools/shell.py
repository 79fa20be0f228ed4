"""Shell commands, and the shells that run in the background."""

from __future__ import annotations

from sessions.text.engine.words import duration
from sessions.timeline.engine.cards.lens import COMMAND, OUTPUT, Lens
from sessions.timeline.engine.cards.safe_get import (
    number,
    table,
    text,
    whole,
    word,
)
from sessions.timeline.engine.cards.tools.call import Call, Sketch, known


def command(call: Call, lens: Lens) -> Sketch:
    script = call.given("command").strip()
    about = lens.line(call.given("description"))
    long = "\n" in script or len(script) > 150
    return Sketch(
        summary=(about or lens.line(script)) if long else lens.line(script),
        facts=known("" if long else about, *_state(call, lens)),
        parts=(*(lens.output(script, COMMAND, "code") if long else ()), *lens.output(call.text, OUTPUT)),
    )


def _state(call: Call, lens: Lens) -> tuple[str, ...]:
    facts = call.facts
    background = text(facts.get("backgroundTaskId"))
    quiet = call.ok and not call.text.strip() and call.outcome is not None and call.outcome.spill is None
    return known(
        f"in background {lens.line(background, 24)}" if background else "",
        "in background" if call.input.get("run_in_background") is True and not background else "",
        "interrupted" if facts.get("interrupted") is True else "",
        lens.line(text(facts.get("returnCodeInterpretation")), 60),
        "no output" if quiet and not background else "",
    )


def watch(call: Call, lens: Lens) -> Sketch:
    """Reading from, waiting for or stopping something that runs in the background."""
    facts = call.facts
    task = table(facts.get("task"))
    status = text(facts.get("status")) or text(task.get("status")) or text(facts.get("retrieval_status"))
    code = whole(facts.get("exitCode"))
    code = whole(task.get("exitCode")) if code is None else code
    about = text(facts.get("command")) or text(task.get("description")) or text(facts.get("message"))
    limit = number(call.input.get("timeout"))
    return Sketch(
        summary=lens.line(" ".join(known(_target(call), about))),
        facts=known(
            lens.line(status, 40),
            f"exit {code}" if code is not None else "",
            f"waits up to {duration(limit)}" if limit is not None else "",
        ),
        parts=lens.output(text(facts.get("stdout")) or text(task.get("output")) or call.text, OUTPUT),
    )


def _target(call: Call) -> str:
    return next((found for key in ("task_id", "bash_id", "shell_id") if (found := word(call.input.get(key)))), "")
