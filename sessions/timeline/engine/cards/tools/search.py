"""Tools that search files, tools or the web."""

from __future__ import annotations

from sessions.text.engine.words import duration, plural, size
from sessions.timeline.engine.cards.card import Link, Links, Part
from sessions.timeline.engine.cards.lens import BRIEF, OUTPUT, Lens
from sessions.timeline.engine.cards.safe_get import as_dict, as_dicts, as_int, as_list, as_number, as_text, as_word
from sessions.timeline.engine.cards.tools.call import Call, CallDescription, drop_empty


def describe_grep(call: Call, lens: Lens) -> CallDescription:
    filters = drop_empty(call.input_text("path"), call.input_text("glob"), call.input_text("type"))
    summary = call.input_text("pattern") + (f" in {', '.join(filters)}" if filters else "")
    return CallDescription(
        lens.line(summary), drop_empty(*_count_facts(call)), lens.output(call.text, BRIEF), folded=True
    )


def _count_facts(call: Call) -> tuple[str, ...]:
    facts = call.facts
    files, lines, matches = (as_int(facts.get(key)) for key in ("numFiles", "numLines", "numMatches"))
    total = as_int(facts.get("totalFiles")) or as_int(facts.get("totalMatches"))
    return (
        plural(lines, "line") if lines is not None else "",
        plural(matches, "match", "matches") if matches is not None else "",
        plural(files, "file") if files is not None and (files or lines is None) else "",
        f"of {total:,}" if total is not None else "",
        "truncated" if facts.get("truncated") is True else "",
    )


def describe_tool_search(call: Call, lens: Lens) -> CallDescription:
    names = [as_text(name) for name in as_list(call.facts.get("matches"))]
    names = [name for name in names if name] or list(call.result.references if call.result else ())
    return CallDescription(
        summary=lens.line(call.input_text("query")),
        facts=drop_empty(plural(len(names), "tool") if call.has_succeeded else "", *lens.first(names, 6)),
        parts=() if names else lens.output(call.text, BRIEF),
        folded=True,
    )


def describe_fetch(call: Call, lens: Lens) -> CallDescription:
    facts = call.facts
    code, extent, took = (as_number(facts.get(key)) for key in ("code", "bytes", "durationMs"))
    return CallDescription(
        summary=lens.line(call.input_text("url")),
        facts=drop_empty(
            " ".join(drop_empty(as_word(code), lens.line(as_text(facts.get("codeText")), 30))),
            size(extent) if extent is not None else "",
            duration(took) if took is not None else "",
            lens.line(call.input_text("prompt"), 120),
        ),
        parts=lens.prose(as_text(facts.get("result")) or call.text, OUTPUT) if call.has_succeeded else (),
    )


def describe_web_search(call: Call, lens: Lens) -> CallDescription:
    facts = call.facts
    took = as_number(facts.get("durationSeconds"))
    hits = web_links(facts.get("results"), lens)
    answer = "\n\n".join(part for part in as_list(facts.get("results")) if isinstance(part, str))
    return CallDescription(
        summary=lens.line(call.input_text("query")),
        facts=drop_empty(
            plural(len(hits), "result") if hits else "", duration(took * 1000) if took is not None else ""
        ),
        parts=(*link_parts(hits, lens), *lens.prose(answer, OUTPUT)) if hits else lens.output(call.text, OUTPUT),
    )


def web_links(results: object, lens: Lens) -> list[Link]:
    """Titles and addresses in the results of a search, which may be hits or lists of hits."""
    links: list[Link] = []
    for result in as_dicts(results):
        for hit in as_dicts(result.get("content")) or [result]:
            url = as_text(hit.get("url"))
            if url:
                safe = url if url.startswith(("http://", "https://")) else ""
                title = lens.line(
                    as_text(hit.get("title")) or as_text(as_dict(hit.get("page")).get("title")) or url, 120
                )
                links.append(Link(title, lens.mask(safe[:2000])))
    return links


def link_parts(links: list[Link], lens: Lens) -> tuple[Part, ...]:
    limit = lens.item_limit(5)
    if len(links) > limit:
        lens.tally.cut = True
    return (Links(tuple(links[:limit])),) if links else ()
