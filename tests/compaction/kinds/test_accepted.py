"""No kind of compaction makes a request that the API would refuse: every kind, of every session of the demo and of a
hostile one, at several points of each, for models that treat thinking differently."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from django.conf import settings
from pytest_django.plugin import DjangoDbBlocker

from compaction.kinds.engine import KindSpec, Parameters, apply_kind
from compaction.kinds.engine.specs import KINDS
from compaction.kinds.engine.specs.auto import AUTO
from compaction.kinds.engine.specs.budget import BUDGET
from compaction.kinds.engine.specs.collapse import COLLAPSE
from compaction.kinds.engine.specs.full import FULL
from compaction.kinds.engine.specs.microcompact import MICROCOMPACT
from compaction.kinds.engine.specs.partial import PARTIAL_FROM, PARTIAL_UP_TO
from compaction.kinds.engine.specs.session_memory import SESSION_MEMORY
from compaction.kinds.engine.specs.snip import SNIP
from compaction.kinds.selectors import compactable_messages
from compaction.kinds.selectors.recorded_effects import recorded_effects
from compaction.mechanisms.engine import Effects, Notes, legal_pivots
from compaction.mechanisms.engine.attachments.file_history import CALLED
from compaction.mechanisms.engine.conversation.kept_range import has_thinking
from compaction.mechanisms.engine.rules import Rules
from sessions.context.selectors.contexts import load_context, point_next
from sessions.context.selectors.steps import load_steps
from sessions.lint.engine import Severity, lint_request
from sessions.models import Transcript
from sessions.transcripts.engine.messages import Message, MessageKind, join_messages, text_block
from tests.importing import imported
from tests.sessions.hostile import PAYLOAD, everywhere, save_with_family

pytestmark = pytest.mark.django_db
NOTES = Notes("# Session Title\n_A title_\nTides\n\n# Worklog\n_Steps_\nMany.\n", "/s/summary.md")
SHARES = (0.2, 0.5, 0.8, 1.0)
"""Of the requests of a session, after which it is compacted."""
THINKERS: dict[str, Any] = {
    "": {"type": "adaptive"},
    "claude-opus-5-5": {"type": "adaptive"},
    "claude-opus-4-5": {"type": "enabled", "budget_tokens": 1_024},
}
"""Models, and how they are told to think: the session's own, one that signs what precedes its thinking, and one that
has to think first."""
EAGER = dict.fromkeys(("stage_at", "commit_at", "target", "least_score"), "0")
CASES: list[tuple[KindSpec, dict[str, str]]] = [
    (AUTO, {"percent": "1"}),
    (AUTO, {"percent": "1", "session_memory.enabled": "off", "timed.enabled": "on", "timed.keep": "1"}),
    (AUTO, {**EAGER, "collapse.enabled": "on", "collapse.keep_tokens": "200", "collapse.least": "20"}),
    (AUTO, {"cache_edits": "on", "cached.trigger": "2", "cached.keep": "1", "auto.enabled": "off"}),
    (BUDGET, {"per_result": "200", "preview": "50"}),
    (SNIP, {}),
    (MICROCOMPACT, {"mode": "time", "keep": "1"}),
    (MICROCOMPACT, {"mode": "cached", "trigger": "1", "keep": "1"}),
    (MICROCOMPACT, {"mode": "api", "tool_uses.trigger": "1", "tool_uses.target": "0", "tool_uses.keep": "0"}),
    (COLLAPSE, {"keep_tokens": "200", "least": "20", "least_score": "0"}),
    (SESSION_MEMORY, {"keep_tokens": "200", "keep_text_messages": "2"}),
    *((FULL, {"rules": str(rules)}) for rules in Rules),
    *((kind, {"rules": rules}) for kind in (PARTIAL_FROM, PARTIAL_UP_TO) for rules in ("session", "articles")),
]


@dataclass(frozen=True)
class Moment:
    name: str
    messages: tuple[Message, ...]
    effects: Effects
    model: str


@pytest.fixture(scope="module")
def moments(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Moment]]:
    projects = tmp_path_factory.mktemp("config") / "projects" / "-home-dev-tidewatch"
    hostile = everywhere(PAYLOAD)
    for number in range(8):
        hostile.user(f"{number} {PAYLOAD}")
        hostile.assistant({"type": "thinking", "thinking": "Hm.", "signature": f"s{number}"}, f"{number} {PAYLOAD}")
    save_with_family(hostile, projects, PAYLOAD, "plain.txt")
    with imported(django_db_blocker, settings.DEMO_DIR, projects.parent.parent), django_db_blocker.unblock():
        yield [moment for transcript in Transcript.objects.order_by("pk") for moment in _moments(transcript)]


def _moments(transcript: Transcript) -> Iterator[Moment]:
    steps = load_steps(transcript)
    points = {int(share * len(steps)) for share in SHARES} - {0}
    for number in sorted(points):
        last = number == len(steps)
        context = load_context(transcript, point_next(transcript) if last else steps[number].point)
        messages = compactable_messages(context)
        yield Moment(
            f"{transcript.public_id} before request {number + 1}",
            messages,
            recorded_effects(transcript, context, messages),
            context.model,
        )


def chosen(kind: KindSpec, messages: Sequence[Message], model: str) -> list[Parameters]:
    if kind is SNIP:
        prompts = [message.uuid for message in messages if message.kind is MessageKind.PROMPT]
        return [Parameters(ids=tuple(prompts[start::2])) for start in (0, 1) if prompts[start::2]]
    if kind.direction is not None:
        pivots = legal_pivots(messages, kind.direction, model)
        return [Parameters(pivot=pivot) for pivot in pivots[:: max(1, len(pivots) // 4)]]
    return [Parameters()]


def refused(messages: Sequence[Message], before: Sequence[Message], model: str, thinking: dict[str, Any]) -> set[str]:
    array = join_messages(messages)
    last = next((element["role"] for element in reversed(array) if element["role"] != "system"), "")
    if last == "assistant":
        array.append({"role": "user", "content": [text_block("And now?")]})
    body = {"model": model, "max_tokens": 2_000, "messages": array, "thinking": thinking}
    findings = lint_request(body, before=join_messages(before))
    return {finding.rule for finding in findings if finding.severity is Severity.REFUSED}


@pytest.mark.parametrize("model", THINKERS, ids=lambda model: model or "own")
@pytest.mark.parametrize(("kind", "given"), CASES, ids=lambda part: str(part) if isinstance(part, KindSpec) else "")
def test_what_is_left_is_accepted(kind: KindSpec, given: dict[str, str], model: str, moments: list[Moment]) -> None:
    done = 0
    for moment in moments:
        answering = model or moment.model
        thinking = THINKERS[model] if any(map(has_thinking, moment.messages)) else {"type": "disabled"}
        effects = replace(moment.effects, read_notes=lambda: NOTES)
        for parameters in chosen(kind, moment.messages, answering):
            applied = apply_kind(
                kind,
                moment.messages,
                replace(parameters, settings=given),
                effects=effects,
                now=(moment.messages[-1].at or 0.0) + 7_300.0,
                model=answering,
            )
            done += applied.done
            sent = moment.messages if applied.is_forecast else applied.after
            new = refused(sent, moment.messages, answering, thinking)
            new -= refused(moment.messages, moment.messages, answering, thinking)
            assert not new, (moment.name, parameters, applied.why)
    assert done


def test_a_model_that_knows_no_messages_of_the_role_system_gets_none(moments: list[Moment]) -> None:
    for model, expected in (("claude-opus-4-6", False), ("claude-opus-5-5", True)):
        parameters, attached = Parameters(settings={"rules": "2.1.197"}), set[str]()
        for moment in moments:
            applied = apply_kind(FULL, moment.messages, parameters, effects=moment.effects, now=0.0, model=model)
            before = {message.uuid for message in moment.messages}
            added = (message for message in applied.after if message.content and message.uuid not in before)
            attached |= {message.role for message in added if CALLED in str(message.content[0].get("text"))}
        assert ("system" in attached) is expected


def test_every_kind_is_among_them() -> None:
    assert {kind for kind, _ in CASES} == set(KINDS)
