"""Imports give way to people."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from sessions.imports.services.jobs import Job
from sessions.imports.services.pool import scan_all
from sessions.imports.services.priority import IMPORT, SCAN
from tests.sessions.writing import Writing

ROOT = Path(__file__).resolve().parents[4]


def test_a_command_that_imports_gives_way_and_others_do_not(tmp_path: Path) -> None:
    Writing().turns(1).save(tmp_path / "projects" / "-home-dev-tidewatch")
    program = (
        "import os, sys; from inspector.cli import run; run(sys.argv[1:]); print(os.getpriority(os.PRIO_PROCESS, 0))"
    )

    def priority(*command: str) -> int:
        kept = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        environment = kept | {"LUCID_HOME": str(tmp_path / "home"), "DJANGO_SETTINGS_MODULE": "inspector.settings"}
        argv = [sys.executable, "-c", program, *command]
        ran = subprocess.run(argv, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        return int(ran.stdout.splitlines()[-1])

    mine = os.getpriority(os.PRIO_PROCESS, 0)
    assert priority("sessions", "--json") == mine
    assert priority("import", str(tmp_path)) == max(IMPORT, mine)


def test_processes_that_only_read_for_an_import_give_way_further(tmp_path: Path) -> None:
    paths = [Writing().turns(1).save(tmp_path / str(number)) for number in range(2)]
    jobs = [Job(number, number, str(path), 0, path.stat().st_size, None, False) for number, path in enumerate(paths, 1)]
    with closing(scan_all(jobs, 2)) as deliveries:
        next(deliveries)
        given = [os.getpriority(os.PRIO_PROCESS, child.pid or 0) for child in multiprocessing.active_children()]
    assert max(given) == max(SCAN, os.getpriority(os.PRIO_PROCESS, 0))
