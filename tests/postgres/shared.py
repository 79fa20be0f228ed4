"""Imports that are shared out, as processes of their own: one that imports, and any number that read along."""

from __future__ import annotations

from pathlib import Path

from tests.sessions.writing import Writing

SESSIONS = 12
TURNS = 40
ENTRIES = SESSIONS * TURNS * 4

# Small portions of a small tree. It waits for a line after it has called for help, with its lock and its portions.
IMPORT = """
import json
import sys
import django
django.setup()
from dataclasses import asdict
from pathlib import Path
from sessions.imports.services import bulk, sync
from sessions.imports.services.shared import portions
from sessions.imports.services.shared.import_workers import import_workers_register
bulk.LARGE_BYTES, portions.PORTION_BYTES = 1, 10_000
class Stop(BaseException):
    pass
class Team:
    asked = ""
    def places(self):
        return 2
    def call(self, shared_import, count):
        if self.asked:
            return  # it calls again when it takes long
        print(shared_import, flush=True)
        self.asked = sys.stdin.readline().strip()
team = Team()
import_workers_register("__main__.team")
def check():
    if team.asked == "stop":
        raise Stop
try:
    print(json.dumps(sync.sync([Path(sys.argv[1])], workers=1, check=check).to_json()), flush=True)
except Stop:
    print("stopped", flush=True)
"""
# Writes after every stretch, so that whatever stops it stops it in the middle.
READ = """
import sys
import django
django.setup()
from sessions.imports.services.shared import portion_reader
portion_reader.BUFFER_BYTES, portion_reader.CHECK_SECONDS = 1, 0
print("reading", flush=True)
portion_reader.PortionReader(int(sys.argv[1])).read(seconds=600)
print("done", flush=True)
"""
# As the watcher does it, with the workers that there are. It waits until one of them has read something.
RUN = """
import sys
import time
import django
django.setup()
from pathlib import Path
from sessions.imports.services.shared import celery_workers as import_workers
from sessions.imports.services import import_runs as imports
from sessions.models import Portion
from sessions.imports.services import bulk
from sessions.imports.services.shared import portions
bulk.LARGE_BYTES, portions.PORTION_BYTES = 1, 10_000
import_workers.ANSWER_SECONDS, import_workers.WANTED_SECONDS = 10, 600  # the machine may be busy
told = imports._report_progress
def tell(running, progress):
    end = time.monotonic() + 240
    while not tell.met and Portion.objects.exists() and time.monotonic() < end:
        tell.met = Portion.objects.filter(done=True).exists()
        time.sleep(0.02)
    told(running, progress)
tell.met = False
imports._report_progress = tell
imports.import_run(Path(sys.argv[1]))
"""


def write(config: Path) -> list[Path]:
    project = config / "projects" / "-home-dev-tidewatch"
    sessions = [Writing(session=f"{number:08d}-0000-4000-8000-000000000000") for number in range(SESSIONS)]
    return [session.turns(TURNS).save(project) for session in sessions]
