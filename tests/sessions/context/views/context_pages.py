from __future__ import annotations

from django.test import Client

from sessions.models import Request, Transcript
from tests.pages import fetch
from tests.sessions.written import Written


def page(client: Client, transcript: Transcript, query: str = "", **headers: str) -> str:
    return fetch(client, f"/sessions/{transcript.public_id}/context/{query}", **headers)


def ids(transcript: Transcript) -> list[str]:
    return list(Request.objects.filter(transcript=transcript).order_by("position").values_list("message_id", flat=True))


def write_compacted(file: Written) -> Transcript:
    """Several blocks long, with a compaction that keeps messages, a cleared result and a state record in between."""
    kept: list[str] = []
    for number in range(90):
        file.user(f"Please look at harbour {number}")
        file.call("Bash", f"toolu_{number}", command="tide")
        file.result(f"toolu_{number}", "high water <b> " * 800)
        kept = [file.user("And the low water?"), file.assistant("At six.")]
        if number == 40:
            file.state("content-replacement", replacements=[{"toolUseId": "toolu_39", "replacement": "on disk"}])
        if number in (30, 60):
            metadata = {"trigger": "auto", "preservedMessages": {"anchorUuid": f"summary-{number}", "uuids": kept}}
            file.row("system", subtype="compact_boundary", compactMetadata=metadata, parent=None)
            file.user("In short.", uuid=f"summary-{number}", isCompactSummary=True)
        if number == 80:
            cleared = {"compactedToolIds": ["toolu_70", "toolu_71"]}
            file.row("system", subtype="microcompact_boundary", microcompactMetadata=cleared)
    return file.read()
