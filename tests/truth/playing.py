"""All scenarios with one version of the client, in this process: `python -m tests.truth.playing VERSION REPORT`."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "inspector.settings")
django.setup()

from django.conf import settings  # noqa: E402

from inspector.startup.database import ensure_database  # noqa: E402
from tests.truth import lucid, wire  # noqa: E402
from tests.truth.client import install  # noqa: E402
from tests.truth.judging import judge  # noqa: E402
from tests.truth.misses import UNEXPLAINED, Miss  # noqa: E402
from tests.truth.report import Report  # noqa: E402
from tests.truth.scenarios import SCENARIOS  # noqa: E402
from tests.truth.visit import NotPlayedError, Visit, play  # noqa: E402

RUNS = Path(__file__).parents[2] / "build" / "truth" / "runs"
# Its name is in what the client writes: the same one on every machine.
PLACE = Path(tempfile.gettempdir()) / "lucid-truth"


def play_all(version: str, names: list[str]) -> Report:
    report = Report(version)
    for scenario in SCENARIOS:
        if names and scenario.name not in names:
            continue
        tell(f"{version}: {scenario.name}")
        try:
            play(
                scenario,
                version,
                install(version),
                PLACE / version / scenario.name,
                lambda visit: _judge(visit, report),
            )
        except NotPlayedError as error:
            report.miss(scenario.name, Miss("scenario", UNEXPLAINED, f"not played: {error}"))
    return report


def _judge(visit: Visit, report: Report) -> None:
    folder = RUNS / visit.version / visit.scenario.name
    shutil.rmtree(folder, ignore_errors=True)
    wire.write(folder, [one.row() for one in visit.model.sent])
    shutil.copytree(visit.home.projects, folder / "projects")
    lucid.ask("import", str(folder / "projects"))
    report.add(visit.scenario.name, judge(folder, visit.version))


def tell(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    shutil.rmtree(settings.LUCID_HOME, ignore_errors=True)
    ensure_database(tell)
    play_all(sys.argv[1], sys.argv[3:]).save(Path(sys.argv[2]))
