"""Scenarios with one version of the client, in this process.

python -m tests.truth.playing VERSION REPORTS [SCENARIO ...]              plays them
python -m tests.truth.playing VERSION REPORTS --again [SCENARIO ...]      judges what was played, and records these
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Collection
from functools import partial
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "inspector.settings")
django.setup()

from django.conf import settings  # noqa: E402

from inspector.startup.database import ensure_database  # noqa: E402
from tests.truth import lucid, wire  # noqa: E402
from tests.truth.client import install  # noqa: E402
from tests.truth.exports import resume_export  # noqa: E402
from tests.truth.judging import judge  # noqa: E402
from tests.truth.misses import UNEXPLAINED, Miss  # noqa: E402
from tests.truth.recordings import FOLDER, record  # noqa: E402
from tests.truth.report import Judgement, Report  # noqa: E402
from tests.truth.scenarios import SCENARIOS  # noqa: E402
from tests.truth.visit import NotPlayedError, Visit, play  # noqa: E402

BUILD = Path(__file__).parents[2] / "build" / "truth"
RUNS = BUILD / "runs"
EXPORTING = {scenario.name: scenario.exports for scenario in SCENARIOS}
# Its name is in what the client writes: the same one on every machine.
PLACE = Path(tempfile.gettempdir()) / "lucid-truth"


def play_all(version: str, folder: Path, names: Collection[str]) -> None:
    for scenario in SCENARIOS:
        if names and scenario.name not in names:
            continue
        tell(f"{version}: {scenario.name}")
        report = Report(version)
        finish = partial(_finish, report=report)
        try:
            play(scenario, version, install(version), PLACE / version / scenario.name, finish)
        except NotPlayedError as error:
            report.miss(scenario.name, Miss("scenario", UNEXPLAINED, f"not played: {error}"))
        report.save(folder / f"{scenario.name}.json")


def judge_all(version: str, folder: Path, recorded: Collection[str]) -> None:
    """What was played last, without playing it again; these scenarios are recorded in the tree."""
    for path in sorted(folder.glob("*.json")):
        report, before = Report(version), Report.load(path)
        run = RUNS / version / path.stem
        if run.exists():
            judgement = _judge(run, version, report)
            if path.stem in recorded:
                record(FOLDER / version / path.stem, run, judgement)
        kept = ("scenario", "export") if EXPORTING.get(path.stem) else ("scenario",)
        if "export" in kept:
            report.exports, report.exports_resumed = before.exports, before.exports_resumed
        # Only a client could make these good.
        report.miss(path.stem, *(miss for miss in before.misses.get(path.stem, ()) if miss.what in kept))
        report.save(path)


def _finish(visit: Visit, report: Report) -> None:
    run = RUNS / visit.version / visit.scenario.name
    shutil.rmtree(run, ignore_errors=True)
    wire.write(run, [message.row() for message in visit.model.sent])
    with (run / wire.BODIES).open("w", encoding="utf-8") as bodies:
        bodies.writelines(json.dumps(message.body, ensure_ascii=False) + "\n" for message in visit.model.sent)
    shutil.copytree(visit.home.projects, run / "projects")
    _judge(run, visit.version, report)
    if not visit.scenario.exports:
        return
    session = max(lucid.sessions(run), key=lambda session: len(session.threads.get("", ()))).id
    for kind in visit.scenario.exports:
        misses = resume_export(visit, session, kind)
        report.exports += 1
        report.exports_resumed += not misses
        report.miss(visit.scenario.name, *misses)


def _judge(run: Path, version: str, report: Report) -> Judgement:
    lucid.ask("import", str(run / "projects"))
    judgement = judge(run, version)
    report.add(run.name, judgement)
    return judgement


def tell(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    version, reports, *names = sys.argv[1:]
    shutil.rmtree(settings.LUCID_HOME, ignore_errors=True)
    ensure_database(tell)
    if names[:1] == ["--again"]:
        judge_all(version, Path(reports), names[1:])
    else:
        play_all(version, Path(reports), names)
