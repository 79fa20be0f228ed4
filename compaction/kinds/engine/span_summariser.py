"""Lets the writer of whole summaries also summarise spans, for collapse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compaction.mechanisms.engine.full.media import without_media, without_thinking
from compaction.mechanisms.engine.full.parsing import parse_summary
from compaction.mechanisms.engine.full.prompt import Variant, compaction_prompt
from compaction.mechanisms.engine.full.request import RequestPath, Summarise, SummariseError, build_summary_request
from compaction.mechanisms.engine.full.truncation import PromptTooLongError
from compaction.mechanisms.engine.identity import derived_id
from compaction.mechanisms.engine.mechanical import MechanicalSummariser
from sessions.lint.engine import repair_messages
from sessions.transcripts.engine.messages import Message, MessageKind, text_block


@dataclass(slots=True)
class SpanSummariser:
    """Returns nothing if the model returns nothing; the span then stays as it is."""

    summarise: Summarise
    problem: str = ""
    """Why a span has no summary: the latest reason."""
    hopeless: bool = False
    """The others would not get one either, so nobody is asked any more."""

    def __call__(self, span: Sequence[Message], /) -> str:
        if isinstance(self.summarise, MechanicalSummariser):
            return self.summarise.text(span, Variant.UP_TO)
        if self.hopeless:
            return ""
        body, _ = repair_messages(without_thinking(without_media(span)))
        instruction = Message(
            "user",
            (text_block(compaction_prompt(Variant.UP_TO)),),
            MessageKind.INJECTED,
            derived_id("instruction", span[-1].uuid),
        )
        try:
            reply = self.summarise(
                build_summary_request([*body, instruction], RequestPath.DIRECT, variant=Variant.UP_TO)
            )
        except PromptTooLongError:
            self.problem = "a span is too long for the model"
            return ""
        except SummariseError as error:
            self.problem, self.hopeless = str(error), error.final
            return ""
        return parse_summary(reply).summary
