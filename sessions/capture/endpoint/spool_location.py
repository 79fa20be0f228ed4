"""The recorder of this process: the server writes with it, and pages read its counts."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from sessions.capture.endpoint.recorder import Recorder
from sessions.capture.endpoint.spool import Spool

FOLDER = "captures"


def spool_of(home: Path) -> Spool:
    return Spool(home / FOLDER)


@cache
def recorder_of(home: Path) -> Recorder:
    return Recorder(spool_of(home))
