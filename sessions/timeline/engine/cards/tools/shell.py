"""Shell commands, in the foreground and the background."""

from __future__ import annotations

from sessions.text.engine.words import duration
from sessions.timeline.engine.cards.lens import COMMAND, OUTPUT, Lens
from sessions.timeline.engine.cards.safe_get import as_dict, as_int, as_number, as_text, as_word
from sessions.timeline.engine.cards.tools.call import Call, CallDescription, drop_empty


def describe_command(call: Call, lens: Lens) -> CallDescription:
    script = call.input_text("command").strip()
    about = lens.line(call.input_text("description"))
    long = "\n" in script or len(script) > 150
    return CallDescription(
        summary=(about or lens.line(script)) if long else lens.line(script),
        facts=drop_empty("" if long else about, *_state_facts(call, lens)),
        parts=(*(lens.output(script, COMMAND, "code") if long else ()), *lens.output(call.text, OUTPUT)),
    )


def _state_facts(call: Call, lens: Lens) -> tuple[str, ...]:
    facts = call.facts
    background = as_text(facts.get("backgroundTaskId"))
    quiet = call.has_succeeded and not call.text.strip() and call.result is not None and call.result.spill is None
    return drop_empty(
        f"in background {lens.line(background, 24)}" if background else "",
        "in background" if call.input.get("run_in_background") is True and not background else "",
        "interrupted" if facts.get("interrupted") is True else "",
        lens.line(as_text(facts.get("returnCodeInterpretation")), 60),
        "no output" if quiet and not background else "",
    )


def describe_background(call: Call, lens: Lens) -> CallDescription:
    """Tools that read from, wait for or stop a command in the background."""
    facts = call.facts
    task = as_dict(facts.get("task"))
    status = as_text(facts.get("status")) or as_text(task.get("status")) or as_text(facts.get("retrieval_status"))
    code = as_int(facts.get("exitCode"))
    code = as_int(task.get("exitCode")) if code is None else code
    about = as_text(facts.get("command")) or as_text(task.get("description")) or as_text(facts.get("message"))
    limit = as_number(call.input.get("timeout"))
    return CallDescription(
        summary=lens.line(" ".join(drop_empty(_target(call), about))),
        facts=drop_empty(
            lens.line(status, 40),
            f"exit {code}" if code is not None else "",
            f"waits up to {duration(limit)}" if limit is not None else "",
        ),
        parts=lens.output(as_text(facts.get("stdout")) or as_text(task.get("output")) or call.text, OUTPUT),
    )


def _target(call: Call) -> str:
    return next(
        (task_id for key in ("task_id", "bash_id", "shell_id") if (task_id := as_word(call.input.get(key)))), ""
    )
