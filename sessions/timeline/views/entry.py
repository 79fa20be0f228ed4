"""One entry: its page, raw record, images, and the file with its spilled output."""

from __future__ import annotations

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from inspector.web.clock import now_ms
from inspector.web.file_views import sends_file
from inspector.web.htmx import HtmxRequest
from sessions.archive.selectors.records import Reader
from sessions.models import Problem
from sessions.secrets.engine import mask
from sessions.text.engine.raw_json import indent_json
from sessions.timeline.engine.cards import build_cards, load_image
from sessions.timeline.engine.cards.pictures import SHOWABLE
from sessions.timeline.selectors.entries import find_entry
from sessions.timeline.selectors.entry_facts import entry_facts
from sessions.timeline.selectors.linked_files import remove_dead_links, spilled_source
from sessions.timeline.selectors.window import rows_at
from sessions.transcripts.selectors.session import session_head, transcript_get

RAW_BYTES = 2_000_000


@require_safe
def entry_detail(request: HtmxRequest, session: str, address: str) -> HttpResponse:
    head = session_head(session, now_ms())
    reader = Reader(head.transcript.source_id)
    transcript, entry = find_entry(head.transcript, address, reader)
    if transcript.pk != head.transcript.pk:
        return HttpResponseRedirect(reverse("entry-detail", args=[transcript.public_id, address]))
    window = rows_at(transcript, [entry.position], reader)
    cards = build_cards(window.rows, window.results, mask=mask, whole=True, sizes=window.sizes)
    cards = remove_dead_links(transcript, cards)
    context = {
        "section": "sessions",
        "tab": "entry",
        "head": head,
        "session": transcript,
        "cards": cards,
        "entry": entry,
        "address": address,
        "facts": entry_facts(transcript, entry, window),
    }
    part = {"full": "#cards", "facts": "#facts"}.get(request.GET.get("part", "")) if request.htmx else None
    response = render(request, f"sessions/timeline/entry.html{part or ''}", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


@sends_file
@require_safe
def entry_raw(request: HtmxRequest, session: str, address: str) -> HttpResponse:
    """The record as it is in the file, masked, as plain text that a browser does not run."""
    transcript, entry = find_entry(transcript_get(session), address)
    data = Reader(transcript.source_id).read(entry.offset, min(entry.length, RAW_BYTES))
    text = indent_json(data) if entry.length <= RAW_BYTES else data.decode("utf-8", "replace") + "\n… cut here"
    return HttpResponse(mask(text), content_type="text/plain; charset=utf-8")


@sends_file
@require_safe
def entry_image(request: HtmxRequest, session: str, address: str, number: int) -> HttpResponse:
    transcript, entry = find_entry(transcript_get(session), address)
    record = Reader(transcript.source_id).record(entry.offset, entry.length)
    image = load_image(record, number)
    if image is None or image[0] not in SHOWABLE:
        raise Http404("The entry has no such image.")
    return HttpResponse(image[1], content_type=image[0])


@sends_file
@require_safe
def problem_raw(request: HtmxRequest, session: str, offset: int) -> HttpResponse:
    """The bytes of a line that could not be read."""
    transcript = transcript_get(session)
    problem = Problem.objects.filter(transcript=transcript, offset=offset).first()
    if problem is None:
        raise Http404("There is no broken line at this place.")
    data = Reader(transcript.source_id).read(problem.offset, min(problem.length, RAW_BYTES))
    text = data.decode("utf-8", "backslashreplace").replace("\0", "␀")
    return HttpResponse(mask(text), content_type="text/plain; charset=utf-8")


@sends_file
@require_safe
def spilled_output(request: HtmxRequest, session: str, name: str) -> HttpResponse:
    """Tool output that the client wrote to a file of its own."""
    source = spilled_source(transcript_get(session), name)
    if source is None:
        raise Http404(f"{name} was not found beside the session: the agent may have deleted it before it was imported.")
    data = Reader(source.pk).read(0, min(source.archived, RAW_BYTES))
    cut = f"\n… cut here, {source.archived} bytes in all" if source.archived > RAW_BYTES else ""
    return HttpResponse(mask(data.decode("utf-8", "replace")) + cut, content_type="text/plain; charset=utf-8")
