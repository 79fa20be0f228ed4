"""Who writes summaries: a model if one is named, as a fork of the session if possible; otherwise they are made
mechanically."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from compaction.kinds.services.watcher import RequestOutcome, SilentWatcher, Watcher
from compaction.mechanisms.engine import PromptTooLongError, Summarise, SummariseError, SummaryRequest
from compaction.mechanisms.engine.full.prompt import Variant
from compaction.mechanisms.engine.full.request import SYSTEM, RequestPath
from inspector.agents.cancel import CancelToken
from inspector.agents.choosing import CONFIGURED, MECHANICAL, ModelSettings, choose_model
from inspector.agents.errors import BadRequestError, CancelledError, ModelError, RefusedError
from inspector.agents.errors import PromptTooLongError as TooLong
from inspector.agents.forks import ForkRefusedError, direct, fork
from inspector.agents.model import Ask, AttemptStarted, LanguageModel, Progress, Reply, RetryScheduled, TextArrived
from sessions.requests.selectors import ParentRequest
from sessions.text.engine import words
from sessions.transcripts.engine.messages import Message, join_messages, replace_fields
from sessions.usage.engine.model_facts import facts_of
from sessions.usage.engine.prices import cost_of
from sessions.usage.engine.usage import Usage

CUT_OFF = "max_tokens"


class NoModelError(ValueError):
    """A model was requested by name, but none is available."""


@dataclass(slots=True)
class ModelWriter:
    """Asks a model for summaries. Every request is reported to the watcher, and recorded."""

    model: LanguageModel
    name: str
    watcher: Watcher = field(default_factory=SilentWatcher)
    cancel: CancelToken = field(default_factory=CancelToken)
    parent: ParentRequest | None = None
    """The session's own request, where its cache can be shared."""
    betas: tuple[str, ...] = ()
    """Those that the session sent, where its own model is asked."""
    requests: list[RequestOutcome] = field(default_factory=list)
    _span: tuple[int, int] | None = None
    """Which one of how many is asked about, in a collapse."""
    _problem: str = ""
    """Why the request before this one gave no summary, in a few words."""
    _how: str = ""
    _sent: bool = False
    """A request is under way."""
    _text: str = ""
    _path: RequestPath = RequestPath.DIRECT

    @property
    def usage(self) -> Usage:
        return Usage.sum(request.usage for request in self.requests)

    def announce(self, number: int, of: int, /) -> None:
        self._span = (number, of)

    def __call__(self, request: SummaryRequest, /) -> str:
        self._path = request.path
        self._how = f"Asked {self.name}" + (" as a fork" if request.path is RequestPath.FORK else self._about())
        self._enter(self._phase(request))
        reply = self._reply(request)
        tools = Counter(str(call.get("name")) for call in reply.calls)
        problem = _unusable(reply, tools, request.path)
        self._end(problem, reply.usage, reply.cost_usd, reply.text, tools)
        self._problem = problem
        if problem:
            raise SummariseError(problem)
        return reply.text

    def _about(self) -> str:
        return "" if self._span is None else f" about span {self._span[0]} of {self._span[1]}"

    def _enter(self, phase: str) -> None:
        if self._span is None:
            self.watcher.phase(phase, unit="characters")
        else:
            number, of = self._span
            self.watcher.phase("summing up spans", total=of, unit="spans")
            self.watcher.step(number - 1)

    def _phase(self, request: SummaryRequest) -> str:
        if request.dropped_rounds:
            rounds = "round is" if request.dropped_rounds == 1 else f"{request.dropped_rounds} rounds are"
            return f"{self._problem}: the oldest {rounds} left out, asking again"
        if self._problem:
            return f"asking again directly: {self._problem}"
        return f"asking {self.name}" + (" as a fork" if request.path is RequestPath.FORK else "")

    def _reply(self, request: SummaryRequest) -> Reply:
        try:
            return self.model.ask(self._ask(request))
        except ForkRefusedError as error:
            self.watcher.begin_request(self._how)
            self._end(str(error))
            raise self._failure(str(error), final=False) from error
        except TooLong as error:
            self._end(str(error), error.usage)
            self._problem = f"too long by {words.tokens(error.gap)} tokens" if error.gap else "too long"
            raise PromptTooLongError(gap=error.gap) from error
        except CancelledError as error:
            if self._sent:
                self._end(str(error), error.usage, text=self._text)
            raise
        except ModelError as error:
            self._end(str(error), error.usage, text=self._text)
            # A fork may be refused for its contents, and so may a span; all other errors would happen again.
            passing = (RefusedError, BadRequestError) if request.path is RequestPath.FORK else (RefusedError,)
            raise self._failure(str(error), final=not isinstance(error, passing)) from error

    def _failure(self, sentence: str, *, final: bool) -> SummariseError:
        self._problem = sentence.rstrip(".")
        return SummariseError(self._problem, final=final)

    def _ask(self, request: SummaryRequest) -> Ask:
        if request.path is RequestPath.FORK and self.parent is not None:
            params = self.parent.params
            if request.variant is Variant.UP_TO:
                params = self.parent.cut_after(_last_position(request.messages))
            own = {"role": "user", "content": [dict(block) for block in request.messages[-1].content]}
            writes = not request.skips_cache_write
            return fork(params, [own], writes_cache=writes, listener=self._hear, cancel=self.cancel)
        ask = direct(
            self.name,
            request.system or SYSTEM,
            join_messages(_suit_roles(request.messages, self.name)),
            listener=self._hear,
            cancel=self.cancel,
        )
        return replace(ask, max_tokens=request.max_output_tokens or ask.max_tokens, betas=self.betas)

    def _hear(self, progress: Progress) -> None:
        if isinstance(progress, AttemptStarted):
            self._text, self._sent = "", True
            if progress.attempt > 1:
                self._enter(f"asking {self.name} again (attempt {progress.attempt})")
            self.watcher.begin_request(self._how)
        elif isinstance(progress, TextArrived):
            self._text += progress.text
            self.watcher.receive_text(self._text)
        elif isinstance(progress, RetryScheduled):
            error, wait = progress.error, words.duration(1000 * max(1, round(progress.wait)))
            self._end(f"{error} Asked again after {wait}.", error.usage, text=self._text)
            self.watcher.phase(f"waiting {wait}: {error.brief} (attempt {progress.attempt} failed)")

    def _end(
        self,
        problem: str = "",
        usage: Usage | None = None,
        cost: float | None = None,
        text: str = "",
        tools: Counter[str] | None = None,
    ) -> None:
        self._sent = False
        billed = usage or Usage()
        model = self.parent.params.model if self._path is RequestPath.FORK and self.parent is not None else self.name
        cost = cost_of(model, billed) if cost is None else cost
        outcome = RequestOutcome(self._how, model, str(self._path), problem, billed, cost, dict(tools or {}))
        self.requests.append(outcome)
        self.watcher.end_request(outcome, text)


def _unusable(reply: Reply, tools: Counter[str], path: RequestPath) -> str:
    """Why a reply is no summary: a call uses up the only turn, whatever was said before it."""
    who = "the fork" if path is RequestPath.FORK else "the model"
    if tools:
        return f"{who} called tools ({', '.join(tools)}) instead of writing"
    if reply.stop_reason == CUT_OFF:
        return f"{who} reached the limit of its output before the end of the summary"
    return "" if reply.text.strip() else f"{who} gave no text"


def _suit_roles(messages: Sequence[Message], model: str) -> Sequence[Message]:
    """Models before Opus 4.8 refuse messages of the role `system`, so their text goes into reminders."""
    facts = facts_of(model)
    if facts is None or facts.system_role is not False:
        return messages
    return [_remind(message) if message.role == "system" and message.content else message for message in messages]


def _remind(message: Message) -> Message:
    blocks = (
        {**block, "text": f"<system-reminder>\n{block.get('text')}\n</system-reminder>"}
        if block.get("type") == "text"
        else block
        for block in message.content
    )
    return replace_fields(message, role="user", content=tuple(blocks))


def _last_position(messages: Sequence[Message]) -> int:
    return next(message.position for message in reversed(messages) if message.position is not None)


@dataclass(frozen=True, slots=True)
class Summariser:
    name: str
    """Of the model, or `mechanical`."""
    why: str
    model_writer: ModelWriter | None = None

    @property
    def summarise(self) -> Summarise | None:
        return self.model_writer


def summariser_choose(
    settings: ModelSettings, name: str = "", *, watcher: Watcher | None = None, cancel: CancelToken | None = None
) -> Summariser:
    """`name`: a model, `configured` for the one of the settings, or `mechanical`.

    Without a name no model is asked, because that costs money and sends the session to somebody else."""
    if not name:
        return Summariser(MECHANICAL, "No model was named, so nobody was asked.")
    if name == MECHANICAL:
        return Summariser(MECHANICAL, "It was asked for.")
    choice = choose_model(settings)
    if choice.model is None:
        raise NoModelError(f"{'The configured model' if name == CONFIGURED else name} cannot be asked. {choice.why}")
    chosen = choice.main if name == CONFIGURED else name
    writer = ModelWriter(choice.model, chosen, watcher or SilentWatcher(), cancel or CancelToken())
    return Summariser(writer.name, choice.why, writer)
