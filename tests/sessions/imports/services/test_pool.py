"""Processes that read files for an import."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
SECONDS = 90
# Whoever reads its standard output to the end waits for everybody who inherited it.
IMPORT = """
import os, signal, sys
import django
django.setup()
from pathlib import Path
from sessions.imports.services.jobs import Job
from sessions.imports.services.pool import scan_all
jobs = [Job(number, None, path, 0, os.path.getsize(path), None, False) for number, path in enumerate(sys.argv[2:], 1)]
deliveries = scan_all(jobs, 2)
if sys.argv[1] == "after one":
    next(deliveries)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("when", ["before any", "after one"])
def test_they_end_when_the_process_that_started_them_is_killed(tmp_path: Path, when: str) -> None:
    """They held the lock of the import for ever."""
    files = [tmp_path / f"{number}.jsonl" for number in range(4)]
    for file in files:
        file.write_text('{"type": "user"}\n' * 1000)
    importer = subprocess.Popen(
        [sys.executable, "-c", IMPORT, when, *map(str, files)],
        cwd=ROOT,
        env={**os.environ, "LUCID_HOME": str(tmp_path / "home"), "DJANGO_SETTINGS_MODULE": "inspector.settings"},
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        importer.communicate(timeout=SECONDS)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(importer.pid, signal.SIGKILL)
    assert importer.returncode == -signal.SIGKILL
