"""Full compact: a model writes a summary of everything, and nothing is kept but what is attached anew."""

from __future__ import annotations

from collections.abc import Sequence

from compaction.engine.attachments import Attached, AttachmentConfig, attached, hook_messages
from compaction.engine.boundary import Direction, floor_of
from compaction.engine.continuation import continuation_text
from compaction.engine.full.asking import FullConfig, Reply, asked
from compaction.engine.full.prompt import Variant, compaction_prompt
from compaction.engine.full.request import Summarise
from compaction.engine.guards.inflation import inflation
from compaction.engine.guards.quotes import quotes_checked
from compaction.engine.occasion import Attempt, Occasion
from compaction.engine.record import Compaction, Cut, Way, boundary_id_of, recorded, view
from compaction.engine.report import Change, Outcome, Report, What
from sessions.engine.messages import Message
from sessions.engine.tokens import estimate

MECHANISM = "full compact"


def full_compact(
    messages: Sequence[Message],
    summarise: Summarise,
    config: FullConfig | None = None,
    *,
    occasion: Occasion | None = None,
    attachments: AttachmentConfig | None = None,
) -> Outcome[Attempt]:
    config, occasion = config or FullConfig(), occasion or Occasion()
    before = estimate(messages, occasion.counter)
    if not config.enabled:
        return unchanged(MECHANISM, messages, before, "Full compact is switched off.", Attempt())
    recent = messages[floor_of(messages) :]
    if not any(message.content for message in recent):
        return unchanged(MECHANISM, messages, before, "There is nothing to summarise.", Attempt())
    prompt = compaction_prompt(
        Variant.FULL, instructions=config.instructions, hook_instructions=_hooked(config, occasion)
    )
    reply = asked(recent, prompt, summarise, config, occasion.counter, occasion.model)
    return summarised(
        messages,
        Cut(0, len(messages)),
        reply,
        mechanism=MECHANISM,
        way=Way.FULL,
        occasion=occasion,
        attachments=attachments or AttachmentConfig(),
    )


def summarised(
    messages: Sequence[Message],
    cut: Cut,
    reply: Reply,
    *,
    mechanism: str,
    way: Way,
    occasion: Occasion,
    attachments: AttachmentConfig,
    direction: Direction | None = None,
) -> Outcome[Attempt]:
    """The outcome of a reply: the compacted view, or the old one and why it stays."""
    counter = occasion.counter
    before = estimate(messages, counter)
    if reply.problem:
        return unchanged(mechanism, messages, before, reply.problem, Attempt(failed=True, requests=reply.requests))
    covered = messages[cut.start : cut.stop]
    kept = [*messages[: cut.start], *messages[cut.stop :]]
    owner = boundary_id_of(messages)
    more = attached(
        covered,
        kept,
        occasion.surroundings,
        attachments,
        read_file=occasion.read_file,
        owner=owner,
        counter=counter,
        now=occasion.now,
    )
    hooks = [*occasion.hooks.session_start(), *occasion.hooks.post_compact(occasion.trigger, reply.summary)]
    compaction = recorded(
        messages,
        cut,
        way=way,
        trigger=occasion.trigger,
        text=continuation_text(
            reply.summary,
            transcript_path=occasion.transcript_path,
            trigger=occasion.trigger,
            kept=any(message.content for message in kept),
            above=direction is Direction.FROM,
        ),
        added=(*more.messages, *hook_messages(hooks, owner, occasion.now)),
        counter=counter,
        now=occasion.now,
        direction=direction,
    )
    after = compaction.boundary.post_tokens or 0
    refused = inflation(before, after)
    if refused is not None:
        return unchanged(mechanism, messages, before, refused, Attempt(failed=True, requests=reply.requests))
    report = _report(mechanism, messages, covered, kept, compaction, reply, more, occasion)
    return Outcome(view(messages, cut, compaction), report, Attempt(compaction, requests=reply.requests))


def unchanged(mechanism: str, messages: Sequence[Message], tokens: int, why: str, attempt: Attempt) -> Outcome[Attempt]:
    return Outcome(messages, Report(mechanism, False, why, tokens, tokens), attempt)


def _report(
    mechanism: str,
    messages: Sequence[Message],
    covered: Sequence[Message],
    kept: Sequence[Message],
    compaction: Compaction,
    reply: Reply,
    more: Attached,
    occasion: Occasion,
) -> Report:
    counter = occasion.counter
    removed = [message for message in covered if message.content]
    quotes = quotes_checked(reply.summary, covered).remark
    remarks = [*reply.remarks, *more.remarks, *([quotes] if quotes else [])]
    sentences = "".join(f" {remark[0].upper()}{remark[1:]}." for remark in remarks)
    keeping = f"; {sum(1 for message in kept if message.content)} are kept" if kept else ""
    changes = [
        *(Change(What.REMOVED, one.uuid, counter(one.content), 0, "The summary stands for it.") for one in removed),
        Change(What.ADDED, compaction.summary.uuid, 0, counter(compaction.summary.content), "The summary."),
        *more.changes,
    ]
    return Report(
        mechanism,
        True,
        f"A summary replaces {len(removed)} messages{keeping}.{sentences}",
        estimate(messages, counter),
        compaction.boundary.post_tokens or 0,
        tuple(changes),
    )


def _hooked(config: FullConfig, occasion: Occasion) -> str:
    return occasion.hooks.pre_compact(occasion.trigger, config.instructions)
