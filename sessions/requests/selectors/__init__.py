"""The request that a fork repeats, and whether the fork can share the prompt cache of the session."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings

from inspector.agents.cache_marks import DEFAULT_MARK
from inspector.agents.choosing import CONFIGURED, MECHANICAL, choose_model
from inspector.agents.forks import CacheSafeParams
from inspector.agents.model import Json, LanguageModel
from sessions.context.engine import Context
from sessions.context.engine.certainty import RequestSetup
from sessions.context.engine.digest import canonical, full_hash
from sessions.context.engine.rendering.array import Element
from sessions.context.selectors.contexts import ContextPoint, load_context, point_next
from sessions.models import Request, Transcript
from sessions.transcripts.engine.messages import Message, MessageKind, text_block
from sessions.usage.engine.model_names import bare_name

NO_MODEL_ASKED = "No model is asked."
NO_SYSTEM = "No record of this session holds the system prompt, so its prompt cache cannot be shared."
NO_TOOLS = "No record of this session holds the definitions of its tools, so its prompt cache cannot be shared."
NO_MODEL = "No record of this session says which model it asks, so its prompt cache cannot be shared."
FROM_LOG = "The client has logged what it sent, so the summary is asked for as a fork of the session."
FROM_SNAPSHOT = (
    "A snapshot of the session holds its system prompt and tools, so the summary is asked for as a fork. How the"
    " session thinks is not in it: its messages may have to be read anew."
)


@dataclass(frozen=True, slots=True)
class SharingDecision:
    """Whether a request for a summary can read the session's prompt cache, with a sentence that says why or why not."""

    is_shared: bool
    why: str
    model: str = ""
    """The model of the session, if a record names it."""


@dataclass(frozen=True, slots=True)
class ParentRequest:
    """The request that the session itself would send now."""

    params: CacheSafeParams
    elements: tuple[Element, ...]
    """The element of each message."""
    order: tuple[int, ...]
    """The positions of the records, in the order of the context, which differs from the file after a compaction."""
    logged: bool
    """Did the client log the parameters of its requests? Else only the system prompt and the tools are known."""

    def cut_after(self, position: int) -> CacheSafeParams:
        """The same request without the records after this position."""
        end = self.order.index(position) + 1 if position in self.order else len(self.order)
        removed = frozenset(self.order[end:])
        messages: list[Json] = []
        for message, element in zip(self.params.messages, self.elements, strict=True):
            if any(piece.message.position in removed for piece in element.pieces):
                results = [dict(piece.block) for piece in element.pieces if _answers_kept_call(piece.message, removed)]
                messages += [{**message, "content": results}] if results else []
                break
            messages.append(message)
        return replace(self.params, messages=tuple(messages))


def find_sharing(transcript: Transcript, model_name: str) -> SharingDecision:
    """Decides for a session as it is now and the model of a run: a name, `configured`, `mechanical` or nothing."""
    if model_name in ("", MECHANICAL):
        return SharingDecision(False, NO_MODEL_ASKED)
    choice = choose_model(settings.MODELS)
    if choice.model is None:
        return SharingDecision(False, choice.why)
    name = choice.main if model_name == CONFIGURED else model_name
    point = point_next(transcript)
    return decide_sharing(find_parent_request(transcript, load_context(transcript, point)), choice.model, name)


def decide_sharing(parent: ParentRequest | str, model: LanguageModel, name: str) -> SharingDecision:
    """`parent`: the request, or a sentence that says why there is none."""
    own = parent.params.model if isinstance(parent, ParentRequest) else ""
    if not model.verbatim:
        return SharingDecision(False, f"The {model.name} cannot share a prompt cache.", own)
    if not isinstance(parent, ParentRequest):
        return SharingDecision(False, parent)
    if own != name and (bare_name(own) is None or bare_name(own) != bare_name(name)):
        why = f"The session's model {own} is not the one that is asked, {name}, so its prompt cache cannot be shared."
        return SharingDecision(False, why, own)
    return SharingDecision(True, FROM_LOG if parent.logged else FROM_SNAPSHOT, own)


def find_parent_request(transcript: Transcript, context: Context) -> ParentRequest | str:
    """The request that the session would send next; or a sentence that says which part of it no record holds."""
    sent, place = _last_request(transcript, context)
    setup = sent.setup if sent is not None and sent.setup.system is not None else context.setup
    if setup.system is None or setup.tools is None:
        return NO_SYSTEM if setup.system is None else NO_TOOLS
    model = str(setup.params.get("model") or context.model)
    if not model:
        return NO_MODEL
    elements = context.elements
    messages = [element.to_api() for element in elements]
    before = _sent_messages(sent) if sent is not None and place is not None else None
    if sent is not None and sent.recorded is not None and before is not None:
        # What was certainly sent, and what was added since.
        later = tuple(element for part in context.parts[place:] for element in part.elements)
        elements = (*sent.recorded, *later)
        messages = [*before, *(element.to_api() for element in later)]
    body = {
        **setup.params,
        "model": model,
        "system": _system_blocks(setup),
        "tools": [dict(tool) for tool in setup.tools],
        "messages": messages,
    }
    mark = _place_marks(body, setup.marks)
    betas = setup.params.get("betas")
    params = CacheSafeParams.of_request(body, [str(beta) for beta in betas] if isinstance(betas, list) else ())
    params = replace(params, mark=mark, request=sent.request if sent is not None and place is not None else "")
    order = tuple(message.position for message in context.messages if message.position is not None)
    return ParentRequest(params, elements, order, bool(setup.params))


def _last_request(transcript: Transcript, context: Context) -> tuple[Context | None, int | None]:
    """The latest request before this context, and the index of the part that begins with its answer. If there was none
    since a compaction, the one before it, whose system prompt, tools and parameters still hold."""
    for place in reversed(range(len(context.parts))):
        segment, records = context.parts[place].segment, context.parts[place].records
        if segment.answer and records and records[0].message.message_id and segment.answer[0] > context.start:
            point = ContextPoint(segment.answer[0], None, records[0].message.message_id)
            return load_context(transcript, point), place
    before = Request.objects.filter(transcript=transcript, position__lt=context.position).order_by("-position").first()
    if before is None:
        return None, None
    return load_context(transcript, ContextPoint(before.position, None, before.message_id)), None


def _sent_messages(sent: Context) -> list[Json] | None:
    """The messages of a request as they were sent, from a capture or the client's log; None if neither has them."""
    if sent.captured is not None:
        return [dict(message) for message in sent.captured.messages]
    if sent.logged is None or sent.recorded is None:
        return None
    return [
        _restore_sent_form(element, name) for element, name in zip(sent.recorded, sent.logged.hashes or (), strict=True)
    ]


def _restore_sent_form(element: Element, name: str) -> Json:
    """A message in the form in which it was sent: a single text may have been a string, as the hash in the log
    shows."""
    message = element.to_api()
    content = message["content"]
    if len(content) == 1 and content[0].get("type") == "text":
        plain = {**message, "content": content[0].get("text")}
        if full_hash(canonical(plain)) == name:
            return plain
    return message


def _system_blocks(setup: RequestSetup) -> list[Json]:
    """The blocks of the system prompt. A snapshot has it in sections, which are sent as one block after the prefix."""
    blocks = [dict(block) for block in setup.system or ()]
    if not setup.prefix:
        return blocks
    return [
        dict(text_block(setup.prefix)),
        dict(text_block("\n\n".join(str(block.get("text", "")) for block in blocks))),
    ]


def _place_marks(body: Json, marks: Sequence[Mapping[str, Any]] | None) -> Json | None:
    """Put cache marks on the system prompt and the tools as the log has them; if it has none, after the system prompt.
    Returns the mark of the messages, which a fork places itself."""
    if marks is None:
        marks = [{"path": ["system", len(body["system"]) - 1], "value": DEFAULT_MARK}] if body["system"] else ()
    own: Json | None = None
    for mark in marks:
        value = mark.get("value")
        match mark.get("path"):
            case ["system" | "tools" as part, int(place)] if 0 <= place < len(body[part]) and isinstance(value, dict):
                body[part][place]["cache_control"] = value
            case ["messages", *_] if isinstance(value, dict):
                own = value
    return own


def _answers_kept_call(message: Message, removed: Collection[int]) -> bool:
    """Does a record in a message that is cut belong to what is kept? Only results do: they answer the message
    before."""
    return message.kind is MessageKind.RESULT and message.position not in removed
