"""Summaries of spans for collapse, by whoever writes those of whole conversations."""

from __future__ import annotations

from collections.abc import Sequence

from compaction.engine.collapse import Summarise as SummariseSpan
from compaction.engine.full.media import without_media, without_thinking
from compaction.engine.full.parsing import parsed_summary
from compaction.engine.full.prompt import Variant, compaction_prompt
from compaction.engine.full.request import Path, Summarise, SummariseError, summary_request
from compaction.engine.full.too_long import PromptTooLongError
from compaction.engine.identity import derived_id
from compaction.engine.mechanical import Mechanical
from sessions.engine.lint import repair_messages
from sessions.engine.messages import Kind, Message, text_block


def span_summariser(summarise: Summarise) -> SummariseSpan:
    """Says nothing where the model does not: the span then stays as it is."""

    def summed_up(span: Sequence[Message], /) -> str:
        if isinstance(summarise, Mechanical):
            return summarise.text(span, Variant.UP_TO)
        body, _ = repair_messages(without_thinking(without_media(span)))
        instruction = Message(
            "user",
            (text_block(compaction_prompt(Variant.UP_TO)),),
            Kind.INJECTED,
            derived_id("instruction", span[-1].uuid),
        )
        try:
            reply = summarise(summary_request([*body, instruction], Path.DIRECT, variant=Variant.UP_TO))
        except (SummariseError, PromptTooLongError):
            return ""
        return parsed_summary(reply).summary

    return summed_up
