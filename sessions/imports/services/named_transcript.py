"""Finds a transcript named on the command line. If it is named by its path, the file is imported first."""

from __future__ import annotations

from pathlib import Path

from sessions.imports.services.sync import sync
from sessions.models import Transcript
from sessions.transcripts.engine.paths import encode_path
from sessions.transcripts.selectors.lookup import LookupFailedError, find_transcript, is_path

SESSION_HELP = "id of a session, a unique prefix of it, or the path of a transcript"
"""What commands say of that argument."""


def transcript_open(*, name: str) -> Transcript:
    """Takes a session id, a unique prefix of one, or a path, whose new lines, and those of its sub-agents, are imported
    first. Raises LookupFailedError if the name matches nothing or several transcripts."""
    if is_path(name):
        file = Path(name).expanduser()
        if file.is_dir():
            raise LookupFailedError(f"{encode_path(name)} is a directory. Give the transcript in it that you mean.")
        if file.is_file():
            _read(file)
    return find_transcript(name)


def _read(file: Path) -> None:
    family = file.with_suffix("")
    report = sync([file, family] if family.is_dir() else [file])
    path = str(file.absolute())
    if path in report.skipped:
        raise LookupFailedError(f"{encode_path(path)} is no transcript: none of its first lines is a record of one.")
