"""Describes in a sentence where two requests diverge in the order of the cache's key, and what that means."""

from __future__ import annotations

from dataclasses import dataclass

from compaction.cache.engine.differences.changes import Change, Rank, find_changes, is_comparable
from compaction.cache.engine.requests.prompt import Prompt, prompt_of
from sessions.context.engine import Context
from sessions.text.engine.words import plural

_MEANS = {
    Rank.MODEL: "What the cache had of the former could not be read.",
    Rank.TOOLS: "Tools stand first in the key, so what follows them could not be read from the cache.",
    Rank.SYSTEM: "Of the former, only what stands before that could be read from the cache.",
    Rank.SETTING: "Tools and system prompt could be read from the cache, the messages could not.",
    Rank.MESSAGES: "What stands before that could be read from the cache, what follows could not.",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    held: bool
    sentence: str
    first: Change | None
    also: tuple[Change, ...]


def judge_requests(before: Context, after: Context) -> Verdict:
    old, new = prompt_of(before), prompt_of(after)
    changes = find_changes(old, new)
    first = next((change for change in changes if change.rank < Rank.HINT), None)
    also = tuple(change for change in changes if change is not first)
    caveat = "" if is_comparable(old, new) else " Whether tools and system prompt stayed the same is not recorded."
    if first is None:
        return Verdict(True, f"{_describe_shared_prefix(old, new)}{caveat}", None, also)
    if first.rewrite is not None and first.rewrite.went_back:
        return Verdict(True, f"{first.sentence} What is left could be read from the cache.{caveat}", first, also)
    return Verdict(False, f"{first.sentence} {_MEANS.get(first.rank, '')}{caveat}", first, also)


def _describe_shared_prefix(old: Prompt, new: Prompt) -> str:
    more = len(new.elements) - len(old.elements)
    same_parts = "Model, tools, system prompt and" if is_comparable(old, new) else "Model and"
    same = f"{same_parts} all {plural(len(old.elements), 'message')} of the former are the same"
    if more <= 0:
        return f"{same}, and nothing follows."
    follow = plural(more, "message follows", "messages follow")
    return f"{same}; {follow}. The cache could serve all of the former."
