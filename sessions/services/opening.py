"""The transcript that somebody names on the command line: one that is named by its path is read first."""

from __future__ import annotations

from pathlib import Path

from sessions.models import Transcript
from sessions.selectors.lookup import find_transcript, is_path
from sessions.services.sync import sync


def transcript_open(*, name: str) -> Transcript:
    """A session id, a unique prefix of one, or a path: then what is new in that file, and in those of its sub-agents,
    is imported before. Raises LookupFailedError if nothing, or more than one thing, answers to the name."""
    if is_path(name):
        file = Path(name).expanduser()
        if file.is_file():
            family = file.with_suffix("")
            sync([file, family] if family.is_dir() else [file])
    return find_transcript(name)
