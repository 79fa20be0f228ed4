"""The changes of a run to memory, and their undo."""

from __future__ import annotations

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from inspector.web.htmx import HtmxRequest, render_page
from memory.files.engine.clash import ChangedMeanwhileError
from memory.files.engine.disk import FileTroubleError
from memory.files.views.conflict import clash_page
from memory.files.views.page_frame import CONFLICT, page_context, render_trouble, sentence_of
from memory.history.selectors.history import action_of, batches_of_run, batches_versions
from memory.history.services.restoration import batch_undo
from memory.history.views.history import VersionView


@require_safe
def memory_run(request: HtmxRequest, run: int) -> HttpResponse:
    batches = list(batches_of_run(run).prefetch_related("undone_by"))
    if not batches:
        raise Http404(f"Run {run} has changed no memory.")
    versions = batches_versions(batches)
    changes = [
        (
            batch,
            sentence_of(batch),
            [VersionView(version, action_of(version)) for version in versions.get(batch.pk, [])],
        )
        for batch in batches
    ]
    left = sum(not batch.undone_by.all() for batch in batches)
    return render_page(
        request, "memory/history/run.html", {**page_context(request), "run": run, "changes": changes, "left": left}
    )


@require_POST
def memory_run_undo(request: HtmxRequest, run: int) -> HttpResponse:
    """Undoes every change of the run that is not undone yet, the latest first."""
    for batch in batches_of_run(run).filter(undone_by=None):
        version = batch.versions.select_related("directory__project").order_by("pk").first()
        assert version is not None
        directory = version.directory
        try:
            batch_undo(batch=batch, message=f"Undid run {run}: {sentence_of(batch)}"[:200])
        except ChangedMeanwhileError as error:
            return clash_page(request, directory, error.clashes, undoing=batch)
        except FileTroubleError as error:
            return render_trouble(request, directory, str(error), CONFLICT)
    response = HttpResponseRedirect(reverse("memory-run", args=[run]))
    response.status_code = 303
    return response
