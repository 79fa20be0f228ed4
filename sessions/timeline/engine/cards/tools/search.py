"""Finding things: in files, among tools, on the web."""

from __future__ import annotations

from sessions.text.engine.words import duration, plural, size
from sessions.timeline.engine.cards.card import Link, Links, Part
from sessions.timeline.engine.cards.lens import BRIEF, OUTPUT, Lens
from sessions.timeline.engine.cards.safe_get import (
    items,
    number,
    table,
    tables,
    text,
    whole,
    word,
)
from sessions.timeline.engine.cards.tools.call import Call, Sketch, known


def grep(call: Call, lens: Lens) -> Sketch:
    places = known(call.given("path"), call.given("glob"), call.given("type"))
    summary = call.given("pattern") + (f" in {', '.join(places)}" if places else "")
    return Sketch(lens.line(summary), known(*_counts(call)), lens.output(call.text, BRIEF), folded=True)


def _counts(call: Call) -> tuple[str, ...]:
    facts = call.facts
    files, lines, matches = (whole(facts.get(key)) for key in ("numFiles", "numLines", "numMatches"))
    total = whole(facts.get("totalFiles")) or whole(facts.get("totalMatches"))
    return (
        plural(lines, "line") if lines is not None else "",
        plural(matches, "match", "matches") if matches is not None else "",
        plural(files, "file") if files is not None and (files or lines is None) else "",
        f"of {total:,}" if total is not None else "",
        "truncated" if facts.get("truncated") is True else "",
    )


def tools(call: Call, lens: Lens) -> Sketch:
    found = [text(name) for name in items(call.facts.get("matches"))]
    found = [name for name in found if name] or list(call.outcome.references if call.outcome else ())
    return Sketch(
        summary=lens.line(call.given("query")),
        facts=known(plural(len(found), "tool") if call.ok else "", *lens.first(found, 6)),
        parts=() if found else lens.output(call.text, BRIEF),
        folded=True,
    )


def fetch(call: Call, lens: Lens) -> Sketch:
    facts = call.facts
    code, extent, took = (number(facts.get(key)) for key in ("code", "bytes", "durationMs"))
    return Sketch(
        summary=lens.line(call.given("url")),
        facts=known(
            " ".join(known(word(code), lens.line(text(facts.get("codeText")), 30))),
            size(extent) if extent is not None else "",
            duration(took) if took is not None else "",
            lens.line(call.given("prompt"), 120),
        ),
        parts=lens.prose(text(facts.get("result")) or call.text, OUTPUT) if call.ok else (),
    )


def web(call: Call, lens: Lens) -> Sketch:
    facts = call.facts
    took = number(facts.get("durationSeconds"))
    found = links(facts.get("results"), lens)
    said = "\n\n".join(part for part in items(facts.get("results")) if isinstance(part, str))
    return Sketch(
        summary=lens.line(call.given("query")),
        facts=known(plural(len(found), "result") if found else "", duration(took * 1000) if took is not None else ""),
        parts=(*shown(found, lens), *lens.prose(said, OUTPUT)) if found else lens.output(call.text, OUTPUT),
    )


def links(results: object, lens: Lens) -> list[Link]:
    """Titles and addresses in whatever a search gave back: hits, or lists of hits."""
    found: list[Link] = []
    for result in tables(results):
        for hit in tables(result.get("content")) or [result]:
            url = text(hit.get("url"))
            if url:
                safe = url if url.startswith(("http://", "https://")) else ""
                title = lens.line(text(hit.get("title")) or text(table(hit.get("page")).get("title")) or url, 120)
                found.append(Link(title, lens.mask(safe[:2000])))
    return found


def shown(found: list[Link], lens: Lens) -> tuple[Part, ...]:
    limit = lens.few(5)
    if len(found) > limit:
        lens.tally.cut = True
    return (Links(tuple(found[:limit])),) if found else ()
