"""Who writes summaries: a model, where one is configured; otherwise they are put together mechanically."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from compaction.engine import PromptTooLongError, Summarise, SummariseError, SummaryRequest
from compaction.engine.full.request import SYSTEM
from inspector.agents.cancel import CancelToken
from inspector.agents.choosing import ModelSettings, choose_model
from inspector.agents.errors import CancelledError, ModelError
from inspector.agents.errors import PromptTooLongError as TooLong
from inspector.agents.forks import direct
from inspector.agents.model import LanguageModel, Listener
from inspector.agents.usage import Usage
from sessions.engine.messages import joined

MECHANICAL = "mechanical"


class NoModelError(ValueError):
    """A model was asked for by name, and there is none to ask."""


@dataclass(slots=True)
class Asking:
    """Asks a model directly. Requests that share the cache of a session need its request, which is not at hand here."""

    model: LanguageModel
    name: str
    listener: Listener | None = None
    cancel: CancelToken = field(default_factory=CancelToken)
    usage: Usage = field(default_factory=Usage)

    def __call__(self, request: SummaryRequest, /) -> str:
        asked = direct(
            self.name, request.system or SYSTEM, joined(request.messages), listener=self.listener, cancel=self.cancel
        )
        asked = replace(asked, max_tokens=request.max_output_tokens or asked.max_tokens)
        try:
            reply = self.model.ask(asked)
        except TooLong as error:
            self._bill(error.usage)
            numbers = f": {error.tokens} tokens > {error.limit} maximum" if error.gap else ""
            raise PromptTooLongError(f"prompt is too long{numbers}") from error
        except CancelledError:
            raise
        except ModelError as error:
            self._bill(error.usage)
            raise SummariseError(str(error).rstrip(".")) from error
        self._bill(reply.usage)
        if not reply.text.strip():
            raise SummariseError("the model gave no text")
        return reply.text

    def _bill(self, usage: Usage | None) -> None:
        if usage is not None:
            self.usage = self.usage + usage


@dataclass(frozen=True, slots=True)
class Summariser:
    name: str
    """Of the model, or `mechanical`."""
    why: str
    asking: Asking | None = None

    @property
    def summarise(self) -> Summarise | None:
        return self.asking


CONFIGURED = "configured"


def summariser_choose(
    settings: ModelSettings, name: str = "", *, listener: Listener | None = None, cancel: CancelToken | None = None
) -> Summariser:
    """`name`: a model, `configured` for the one of the settings, or `mechanical`.

    Whoever names nothing gets no model: asking one costs money, and sends the session to somebody else."""
    if not name:
        return Summariser(MECHANICAL, "No model was named, so nobody was asked.")
    if name == MECHANICAL:
        return Summariser(MECHANICAL, "It was asked for.")
    choice = choose_model(settings)
    if choice.model is None:
        raise NoModelError(f"{'The configured model' if name == CONFIGURED else name} cannot be asked. {choice.why}")
    asking = Asking(choice.model, choice.main if name == CONFIGURED else name, listener, cancel or CancelToken())
    return Summariser(asking.name, choice.why, asking)
