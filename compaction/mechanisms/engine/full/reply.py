"""Asks for a summary until there is one: first as a fork, then directly, and with less if it was too long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from compaction.mechanisms.engine.conversation.kept_range import has_to_think_first
from compaction.mechanisms.engine.full.media import without_media, without_skills, without_thinking
from compaction.mechanisms.engine.full.parsing import parse_summary
from compaction.mechanisms.engine.full.prompt import Variant
from compaction.mechanisms.engine.full.request import (
    OUTPUT_CAP,
    RequestPath,
    Summarise,
    SummariseError,
    build_summary_request,
)
from compaction.mechanisms.engine.full.truncation import NothingLeftError, PromptTooLongError, truncate
from compaction.mechanisms.engine.identity import derived_id
from compaction.mechanisms.engine.setting_field import setting
from sessions.lint.engine import lint_request, repair_messages
from sessions.lint.engine.rules.thinking_config import MIN_BUDGET
from sessions.text.engine.words import plural
from sessions.transcripts.engine.messages import Message, MessageKind, join_messages, text_block
from sessions.usage.engine.tokens import TokenCounter
from sessions.usage.engine.too_long import read_too_long

RETRIES = 3


@dataclass(frozen=True, slots=True)
class FullConfig:
    TITLE: ClassVar[str] = "Asking a model"

    enabled: bool = setting(True, "Whether it is done at all.")
    retries: int = setting(RETRIES, "How often the oldest rounds are left out when a request is too long.")
    fork: bool = setting(True, "Ask as a continuation of the session's own request, to read its cache.")
    output_cap: int = setting(OUTPUT_CAP, "Tokens of the answer at most, when asked directly.")
    instructions: str = ""
    """What the user wants the summary to observe."""


@dataclass(frozen=True, slots=True)
class Reply:
    summary: str
    """Empty if there is none; then `problem` says why."""
    problem: str
    requests: int
    dropped_rounds: int
    path: RequestPath
    remarks: tuple[str, ...] = ()


@dataclass(slots=True)
class _SummaryAttempt:
    body: list[Message]
    path: RequestPath
    requests: int = 0
    dropped_rounds: int = 0
    retries: int = 0
    fork_error: str = ""
    """Why the fork failed."""

    def reply(self, summary: str, problem: str = "", remarks: Sequence[str] = ()) -> Reply:
        return Reply(summary, problem, self.requests, self.dropped_rounds, self.path, tuple(remarks))


def obtain_reply(
    messages: Sequence[Message],
    prompt: str,
    summarise: Summarise,
    config: FullConfig,
    counter: TokenCounter,
    model: str,
    variant: Variant = Variant.FULL,
    begins_at: str = "",
    thinks: bool = False,
) -> Reply:
    """`thinks`: whether the conversation's model thinks, as a fork would too."""
    with_content = [message for message in messages if message.content]
    body, _ = repair_messages(without_media(without_skills(with_content)), model=model, before=with_content)
    instruction = Message(
        "user",
        (text_block(prompt),),
        MessageKind.INJECTED,
        derived_id("instruction", messages[-1].uuid if messages else ""),
    )
    fork = config.fork and not (thinks and lacks_first_thoughts([*body, instruction], model))
    attempt = _SummaryAttempt(body, RequestPath.FORK if fork else RequestPath.DIRECT)
    while True:
        sent = attempt.body if attempt.path is RequestPath.FORK else without_thinking(attempt.body)
        request = build_summary_request(
            [*sent, instruction], attempt.path, config.output_cap, variant, begins_at, attempt.dropped_rounds
        )
        attempt.requests += 1
        try:
            text = summarise(request)
        except PromptTooLongError as error:
            problem = _shorten(attempt, error.gap, config, counter)
            if problem:
                return attempt.reply("", problem)
        except SummariseError as error:
            if attempt.path is RequestPath.DIRECT or error.final:
                return attempt.reply("", f"No summary was written: {error}.")
            attempt.path, attempt.fork_error = RequestPath.DIRECT, str(error)
        else:
            return _parse(attempt, text)


def lacks_first_thoughts(messages: Sequence[Message], model: str) -> bool:
    """Whether the latest turn has lost its first thoughts to an earlier compaction, and the model refuses to go on."""
    if not has_to_think_first(model):
        return False
    config = {"type": "enabled", "budget_tokens": MIN_BUDGET}
    body = {"model": model, "max_tokens": OUTPUT_CAP, "messages": join_messages(messages), "thinking": config}
    return any(finding.rule == "thinking-first" for finding in lint_request(body))


def _shorten(attempt: _SummaryAttempt, gap: int | None, config: FullConfig, counter: TokenCounter) -> str:
    """Drops the oldest rounds; returns the reason if it cannot."""
    if attempt.retries == config.retries:
        return f"The request was still too long after {plural(config.retries, 'retry', 'retries')}."
    attempt.retries += 1
    try:
        shorter = truncate(attempt.body, gap, attempt=attempt.retries, counter=counter)
    except NothingLeftError as nothing:
        return str(nothing)
    attempt.body = shorter.messages
    attempt.dropped_rounds += shorter.dropped
    # A shorter conversation finds nothing in the parent's cache, and may begin amid a turn that needs its thinking.
    attempt.path = RequestPath.DIRECT
    return ""


def _parse(attempt: _SummaryAttempt, text: str) -> Reply:
    parsed = parse_summary(text)
    if not parsed.summary:
        return attempt.reply("", "The reply held no summary.")
    if len(text) < 300 and read_too_long(text):
        # Some clients pass the error on as if the model had said it.
        return attempt.reply("", f"The reply is an error and no summary: {text.strip()}")
    remarks = [] if parsed.has_tags else ["the reply had no summary tags, so all of it counts"]
    if not parsed.is_complete:
        remarks.append("the summary breaks off, probably at an output limit")
    if attempt.fork_error:
        remarks.append(f"it was asked for directly: {attempt.fork_error}")
    if attempt.dropped_rounds:
        rounds = plural(attempt.dropped_rounds, "oldest round", "oldest rounds")
        remarks.append(f"it does not cover the {rounds}, which did not fit")
    return attempt.reply(parsed.summary, remarks=remarks)
