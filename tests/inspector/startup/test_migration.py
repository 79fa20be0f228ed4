from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.serving import ROOT, environment, lucid

CUT_OFF = 7
# Django commits the tables of a migration before it notes that they are there. Here the process dies in between.
DYING = f"""
import os
import django
from django.db.migrations.recorder import MigrationRecorder

note = MigrationRecorder.record_applied

def die_at(self, app, name):
    if (app, name) == ("compaction", "0003_cache"):
        os._exit({CUT_OFF})
    note(self, app, name)

MigrationRecorder.record_applied = die_at
django.setup()
from inspector.startup.database import ensure_database
ensure_database()
"""


def test_a_migration_that_dies_before_it_is_noted_is_made_by_the_next_start(tmp_path: Path) -> None:
    home = tmp_path / "home"
    env = environment(home, DJANGO_SETTINGS_MODULE="inspector.settings")
    died = subprocess.run([sys.executable, "-c", DYING], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert died.returncode == CUT_OFF, died.stderr
    next_start = lucid(home, "check")
    assert next_start.returncode == 0, next_start.stderr
