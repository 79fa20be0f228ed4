from __future__ import annotations

import re

from django.test import Client

from compaction.kinds.engine import KindSpec, Parameters
from compaction.kinds.services.make import compaction_make
from compaction.kinds.services.summarising import Summariser
from compaction.models import Compaction
from sessions.models import Transcript
from tests.pages import fetch

NOW = 1_800_000_000_000
MECHANICAL = Summariser("mechanical", "")


def page(client: Client, transcript: Transcript, path: str, **headers: str) -> str:
    return fetch(client, f"/sessions/{transcript.public_id}/{path}", **headers)


def make(transcript: Transcript, kind: KindSpec, **given: str) -> Compaction:
    return compaction_make(
        transcript=transcript, kind=kind, parameters=Parameters(settings=given), summariser=MECHANICAL, now_ms=NOW
    )


def rows(html: str) -> list[str]:
    """The statuses of the rows that are shown, in order."""
    return re.findall(r'<li class="row item is-(\w+)"', html)
