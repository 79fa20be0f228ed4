"""The request that a fork of a session goes on from, and whether there is one whose prompt cache can be shared."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings

from inspector.agents.choosing import CONFIGURED, MECHANICAL, choose_model
from inspector.agents.forks import CacheSafeParams
from inspector.agents.marks import DEFAULT_MARK
from inspector.agents.model import Json, LanguageModel
from sessions.context.engine import Context
from sessions.context.engine.certainty import RequestSetup
from sessions.context.engine.digest import canonical, full_hash
from sessions.context.engine.rendering.array import Element
from sessions.context.selectors.contexts import ContextPoint, load_context, point_next
from sessions.models import Request, Transcript
from sessions.transcripts.engine.messages import Message, MessageKind, text_block
from sessions.usage.engine.model_names import bare_name

NOBODY = "No model is asked."
NO_SYSTEM = "No record of this session holds the system prompt, so its prompt cache cannot be shared."
NO_TOOLS = "No record of this session holds the definitions of its tools, so its prompt cache cannot be shared."
NO_MODEL = "No record of this session says which model it asks, so its prompt cache cannot be shared."
LOGGED = "The client has logged what it sent, so the summary is asked for as a fork of the session."
TOLD = (
    "A snapshot of the session holds its system prompt and tools, so the summary is asked for as a fork. How the"
    " session thinks is not in it: its messages may have to be read anew."
)


@dataclass(frozen=True, slots=True)
class Sharing:
    """Whether a request for a summary can read the session's own prompt cache: a sentence says why, or why not."""

    shared: bool
    why: str
    model: str = ""
    """The one that the session asks, as far as records tell."""


@dataclass(frozen=True, slots=True)
class Parent:
    """The session's own request, as far as it would go now."""

    params: CacheSafeParams
    elements: tuple[Element, ...]
    """What each of its messages is made of."""
    order: tuple[int, ...]
    """The positions of the records of the context, in its order: after a compaction not that of the file."""
    logged: bool
    """The client has logged with what it asks; else only the system prompt and the tools are known."""

    def up_to(self, position: int) -> CacheSafeParams:
        """The same, but nothing of the records after this one."""
        place = self.order.index(position) + 1 if position in self.order else len(self.order)
        gone = frozenset(self.order[place:])
        messages: list[Json] = []
        for message, element in zip(self.params.messages, self.elements, strict=True):
            if any(piece.message.position in gone for piece in element.pieces):
                results = [dict(one.block) for one in element.pieces if _stays(one.message, gone)]
                messages += [{**message, "content": results}] if results else []
                break
            messages.append(message)
        return replace(self.params, messages=tuple(messages))


def sharing_of(transcript: Transcript, model_name: str) -> Sharing:
    """For a session as it is now and a model as a run names it: a name, `configured`, `mechanical` or nothing."""
    if model_name in ("", MECHANICAL):
        return Sharing(False, NOBODY)
    choice = choose_model(settings.MODELS)
    if choice.model is None:
        return Sharing(False, choice.why)
    name = choice.main if model_name == CONFIGURED else model_name
    point = point_next(transcript)
    return sharing_with(parent_of(transcript, load_context(transcript, point)), choice.model, name)


def sharing_with(parent: Parent | str, model: LanguageModel, name: str) -> Sharing:
    """`parent`: or why there is none."""
    own = parent.params.model if isinstance(parent, Parent) else ""
    if not model.verbatim:
        return Sharing(False, f"The {model.name} cannot share a prompt cache.", own)
    if not isinstance(parent, Parent):
        return Sharing(False, parent)
    if own != name and (bare_name(own) is None or bare_name(own) != bare_name(name)):
        why = f"The session's model {own} is not the one that is asked, {name}, so its prompt cache cannot be shared."
        return Sharing(False, why, own)
    return Sharing(True, LOGGED if parent.logged else TOLD, own)


def parent_of(transcript: Transcript, context: Context) -> Parent | str:
    """What the session would send next; if records do not hold enough of it, a sentence that says what is missing."""
    sent, place = _last_request(transcript, context)
    given = sent.setup if sent is not None and sent.setup.system is not None else context.setup
    if given.system is None or given.tools is None:
        return NO_SYSTEM if given.system is None else NO_TOOLS
    model = str(given.params.get("model") or context.model)
    if not model:
        return NO_MODEL
    elements = context.elements
    messages = [element.to_api() for element in elements]
    before = _sent_before(sent) if sent is not None and place is not None else None
    if sent is not None and sent.recorded is not None and before is not None:
        # What is known to have been sent, and what has come since.
        later = tuple(element for part in context.parts[place:] for element in part.elements)
        elements = (*sent.recorded, *later)
        messages = [*before, *(element.to_api() for element in later)]
    body = {
        **given.params,
        "model": model,
        "system": _system(given),
        "tools": [dict(tool) for tool in given.tools],
        "messages": messages,
    }
    mark = _marked(body, given.marks)
    betas = given.params.get("betas")
    params = CacheSafeParams.of_request(body, [str(one) for one in betas] if isinstance(betas, list) else ())
    params = replace(params, mark=mark, request=sent.request if sent is not None and place is not None else "")
    order = tuple(one.position for one in context.messages if one.position is not None)
    return Parent(params, elements, order, bool(given.params))


def _last_request(transcript: Transcript, context: Context) -> tuple[Context | None, int | None]:
    """The latest request on the way to this context, and the place of the part that its answer begins. If none was made
    since a compaction, the one before it: what it carried beside its messages still holds."""
    for place in reversed(range(len(context.parts))):
        segment, said = context.parts[place].segment, context.parts[place].records
        if segment.answer and said and said[0].message.message_id and segment.answer[0] > context.start:
            point = ContextPoint(segment.answer[0], None, said[0].message.message_id)
            return load_context(transcript, point), place
    before = Request.objects.filter(transcript=transcript, position__lt=context.position).order_by("-position").first()
    if before is None:
        return None, None
    return load_context(transcript, ContextPoint(before.position, None, before.message_id)), None


def _sent_before(sent: Context) -> list[Json] | None:
    """The messages of a request as they went out, by a capture or by the client's log; None if neither holds them."""
    if sent.captured is not None:
        return [dict(message) for message in sent.captured.messages]
    if sent.logged is None or sent.recorded is None:
        return None
    return [_as_sent(one, name) for one, name in zip(sent.recorded, sent.logged.hashes or (), strict=True)]


def _as_sent(element: Element, name: str) -> Json:
    """A single text may have been sent as a string: the hash in the log tells."""
    message = element.to_api()
    content = message["content"]
    if len(content) == 1 and content[0].get("type") == "text":
        plain = {**message, "content": content[0].get("text")}
        if full_hash(canonical(plain)) == name:
            return plain
    return message


def _system(given: RequestSetup) -> list[Json]:
    """A snapshot has the prompt in sections; they are sent as one block, behind the prefix."""
    blocks = [dict(block) for block in given.system or ()]
    if not given.prefix:
        return blocks
    return [dict(text_block(given.prefix)), dict(text_block("\n\n".join(str(one.get("text", "")) for one in blocks)))]


def _marked(body: Json, marks: Sequence[Mapping[str, Any]] | None) -> Json | None:
    """Puts the cache marks of the system prompt and of the tools where the log has them; where none is known, behind
    the system prompt. Gives that of the messages, which a fork places itself."""
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


def _stays(message: Message, gone: Collection[int]) -> bool:
    """Of a message that is cut: results answer the message before it; what else stands there belongs to what goes."""
    return message.kind is MessageKind.RESULT and message.position not in gone
