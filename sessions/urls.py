from __future__ import annotations

from django.urls import path

import inspector.web.paths  # noqa: F401 - knows how `any` is written in an address
from sessions.agents.views import messages as agent_messages
from sessions.agents.views import prefixes, tree
from sessions.agents.views import summaries as agent_summaries
from sessions.capture import views as captures
from sessions.catalog.views import odd
from sessions.catalog.views import sessions as catalog
from sessions.context.views import changes, context, left_out
from sessions.export.views import export
from sessions.requests import views as request
from sessions.search.views import find, search
from sessions.timeline.views import entry, live, session

urlpatterns = [
    path("captures/", captures.capture_list, name="capture-list"),
    path("captures/<int:capture_id>/", captures.capture_detail, name="capture-detail"),
    path("captures/<int:capture_id>/raw/", captures.capture_raw, name="capture-raw"),
    path("sessions/<str:session>/agents/summaries/", agent_summaries.agent_summaries, name="agent-summaries"),
    path("sessions/", catalog.transcript_list, name="transcript-list"),
    path("sessions/<str:session>/", session.transcript_detail, name="transcript-detail"),
    path("sessions/<str:session>/live/", live.transcript_live, name="transcript-live"),
    path("sessions/<str:session>/find/", find.transcript_find, name="transcript-find"),
    path("sessions/<str:session>/export/<str:form>/", export.transcript_export, name="transcript-export"),
    path("sessions/<str:session>/context/", context.transcript_context, name="transcript-context"),
    path("sessions/<str:session>/context/changes/", changes.context_changes, name="context-changes"),
    path("sessions/<str:session>/context/left-out/", left_out.context_left_out, name="context-left-out"),
    path("sessions/<str:session>/requests/<any:message_id>/", request.request_detail, name="request-detail"),
    path("sessions/<str:session>/agents/", tree.transcript_agents, name="transcript-agents"),
    path("sessions/<str:session>/agents/messages/", agent_messages.agent_messages, name="agent-messages"),
    path("sessions/<str:session>/agents/prefixes/", prefixes.agent_prefixes, name="agent-prefixes"),
    path("sessions/<str:session>/agents/<str:agent>/", tree.agent_detail, name="agent-detail"),
    path("sessions/<str:session>/entries/<any:address>/raw/", entry.entry_raw, name="entry-raw"),
    path("sessions/<str:session>/entries/<any:address>/images/<int:number>/", entry.entry_image, name="entry-image"),
    path("sessions/<str:session>/entries/<any:address>/", entry.entry_detail, name="entry-detail"),
    path("sessions/<str:session>/problems/<int:offset>/", entry.problem_raw, name="problem-raw"),
    path("sessions/<str:session>/results/<str:name>/", entry.spilled_output, name="spilled"),
    path("search/", search.search_page, name="search"),
    path("odd/", odd.odd, name="odd"),
    path("retention/", odd.retention, name="retention"),
]
