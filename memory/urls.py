from __future__ import annotations

from django.urls import path

import inspector.web.paths  # noqa: F401 - knows how `any` is written in an address
from memory.chain import views as chain
from memory.dreams import views as dreams
from memory.files.views import catalog, directory, editor, file, file_actions
from memory.history.views import history, run
from memory.notes.views import notes
from memory.proposals import views as proposals
from memory.recall.views import bench

urlpatterns = [
    path("dreams/", dreams.dream_list, name="dream-list"),
    path("dreams/<int:directory_id>/", dreams.dream_start, name="dream-start"),
    path("memory/<int:number>/recall/", bench.memory_recall, name="memory-recall"),
    path("memory/<int:number>/recall/evaluation/", bench.recall_evaluation, name="memory-recall-evaluation"),
    path("sessions/<str:session>/notes/", notes.transcript_notes, name="transcript-notes"),
    path("memory/", catalog.memory_list, name="memory-list"),
    path("memory/look/", catalog.memory_look, name="memory-look"),
    path("memory/search/", catalog.memory_find, name="memory-search"),
    path("memory/runs/<int:run>/", run.memory_run, name="memory-run"),
    path("memory/runs/<int:run>/undo/", run.memory_run_undo, name="memory-run-undo"),
    path("memory/<int:number>/", directory.memory_detail, name="memory-detail"),
    path("memory/<int:number>/health/", catalog.memory_health, name="memory-health"),
    path("memory/<int:number>/loaded/", directory.memory_loaded, name="memory-loaded"),
    path("memory/<int:number>/findings/", directory.memory_findings, name="memory-findings"),
    path("memory/<int:number>/chain/", chain.memory_chain, name="memory-chain"),
    path("memory/<int:number>/file/", file.memory_file, name="memory-file"),
    path("memory/<int:number>/edit/", editor.memory_edit, name="memory-edit"),
    path("memory/<int:number>/new/", editor.memory_new, name="memory-new"),
    path("memory/<int:number>/preview/", editor.memory_preview, name="memory-preview"),
    path("memory/<int:number>/rename/", file_actions.memory_rename, name="memory-rename"),
    path("memory/<int:number>/move/", file_actions.memory_move, name="memory-move"),
    path("memory/<int:number>/merge/", file_actions.memory_merge, name="memory-merge"),
    path("memory/<int:number>/split/", file_actions.memory_split, name="memory-split"),
    path("memory/<int:number>/prune/", file_actions.memory_prune, name="memory-prune"),
    path("memory/<int:number>/fix/", file_actions.memory_fix, name="memory-fix"),
    path("memory/<int:number>/history/", history.memory_history, name="memory-history"),
    path("memory/<int:number>/versions/<int:version>/", history.memory_version, name="memory-version"),
    path("memory/<int:number>/versions/<int:version>/restore/", history.memory_restore, name="memory-restore"),
    path("memory/<int:number>/changes/<int:change>/", history.memory_change, name="memory-change"),
    path("memory/<int:number>/changes/<int:change>/undo/", history.memory_undo, name="memory-undo"),
    path("memory/<int:number>/changes/<int:change>/back/", history.memory_back, name="memory-back"),
    path("memory/proposals/<int:proposal_id>/", proposals.proposal_detail, name="proposal-detail"),
    path("memory/proposals/<int:proposal_id>/count/", proposals.proposal_count, name="proposal-count"),
    path("memory/proposals/<int:proposal_id>/undo/", proposals.proposal_undo, name="proposal-undo"),
    path("memory/<str:project>/", directory.memory_of_project, name="memory-of-project"),
]
