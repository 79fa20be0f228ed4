"""What a session can be asked at once, and the estimated price."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.conf import settings

from compaction.kinds.engine import Parameters, apply_kind, kind_named
from compaction.kinds.selectors import compactable_messages
from compaction.mechanisms.engine import Effects, SummaryRequest
from compaction.mechanisms.engine.mechanical import MechanicalSummariser
from inspector.agents.choosing import choose_model
from memory.extraction.selectors import NoMemoryError, extraction_decide, memory_path
from memory.notes.selectors.notes import NotesSituation, notes_prompt
from sessions.context.engine import Context
from sessions.context.selectors.contexts import load_context, point_next
from sessions.models import Request, Transcript
from sessions.requests.selectors import ParentRequest, decide_sharing, find_parent_request
from sessions.usage.engine.price_forecast import Weight
from sessions.weights.engine import estimate_text

SUMMARY, NOTES, MEMORIES = "summary", "notes", "memories"
ANSWERS = {SUMMARY: 20_000, NOTES: 2_000, MEMORIES: 2_000}
"""Tokens that an answer rarely exceeds."""
_MEMORY_QUESTION = 2_500
"""Tokens of the question for memories: it lists the memory."""
FULL = "full"


@dataclass(frozen=True, slots=True)
class Askable:
    parent: ParentRequest | None
    """None if the session cannot be asked at once."""
    why: str
    questions: tuple[str, ...] = ()
    weights: tuple[Weight, ...] = ()
    """Of the first request of each question."""
    left_out: tuple[str, ...] = ()
    """Why a question is not asked."""

    @property
    def model(self) -> str:
        return self.parent.params.model if self.parent is not None else ""


@dataclass(slots=True)
class _FirstRequest:
    """Stands in for a model, and records the first request for a summary."""

    request: SummaryRequest | None = None
    answers: MechanicalSummariser = field(default_factory=MechanicalSummariser)

    def __call__(self, request: SummaryRequest, /) -> str:
        self.request = self.request or request
        return self.answers(request)


def summary_question(context: Context, now_ms: int) -> str:
    """The question of a full compaction of this context; empty if there is nothing to compact."""
    first = _FirstRequest()
    effects = Effects(summarise=first)
    apply_kind(
        kind_named(FULL),
        compactable_messages(context),
        Parameters(),
        effects=effects,
        now=now_ms / 1000,
        model=context.model,
    )
    if first.request is None:
        return ""
    return "\n\n".join(str(block.get("text", "")) for block in first.request.messages[-1].content)


def find_askable(transcript: Transcript, now_ms: int) -> Askable:
    """For the main thread of a session as it is now."""
    choice = choose_model(settings.MODELS)
    if choice.model is None:
        return Askable(None, choice.why)
    if transcript.kind != Transcript.Kind.MAIN:
        return Askable(None, "Only the main thread of a session can be asked at once.")
    context = load_context(transcript, point_next(transcript))
    parent = find_parent_request(transcript, context)
    name = parent.params.model if isinstance(parent, ParentRequest) else choice.main
    sharing = decide_sharing(parent, choice.model, name)
    if not sharing.is_shared or not isinstance(parent, ParentRequest):
        return Askable(None, sharing.why)
    prompts = {
        SUMMARY: summary_question(context, now_ms),
        NOTES: notes_prompt(NotesSituation(transcript), "summary.md"),
    }
    sizes = {title: estimate_text(prompt, name) for title, prompt in prompts.items() if prompt}
    left_out = [] if prompts[SUMMARY] else ["There is nothing to compact, so no summary is asked for."]
    if skipped := _why_no_memories(transcript, context):
        left_out.append(skipped)
    else:
        sizes[MEMORIES] = _MEMORY_QUESTION
    shared = _cached_tokens(transcript)
    weights = tuple(Weight(shared + size, ANSWERS[title], shared) for title, size in sizes.items())
    return Askable(parent, sharing.why, tuple(sizes), weights, tuple(left_out))


def _why_no_memories(transcript: Transcript, context: Context) -> str:
    try:
        decision = extraction_decide(transcript, memory_path(transcript), latest=context)
    except NoMemoryError as error:
        return f"Memories are not asked for. {error}"
    return "" if decision.is_due else f"Memories are not asked for. {decision.why}"


def _cached_tokens(transcript: Transcript) -> int:
    last = Request.objects.filter(transcript=transcript, agent="").order_by("-position").first()
    return 0 if last is None else last.cache_read + last.cache_write_5m + last.cache_write_1h
