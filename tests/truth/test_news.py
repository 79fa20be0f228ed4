"""What is new in a version is named at once: by what it writes and sends, and by what Lucid misses of it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

from sessions.context.engine.habits import parse
from tests.truth import wire
from tests.truth.misses import UNEXPLAINED, Miss
from tests.truth.news import News, news_of, played
from tests.truth.recordings import FOLDER
from tests.truth.report import Report

OLD, NEW = max((path.parent.name for path in FOLDER.glob("*/tools")), key=parse), "2.1.999"
ROOT = Path(__file__).parents[2]


def _played_anew(folder: Path) -> tuple[Path, Path]:
    """The folders of runs and reports of a version that does the same as one in the tree, in one scenario."""
    runs, reports = folder / "runs", folder / "reports"
    shutil.copytree(FOLDER / OLD / "tools", runs / NEW / "tools")
    Report(NEW).save(reports / NEW / "tools.json")
    return runs, reports


def _append(run: Path, record: dict[str, Any]) -> None:
    (path,) = (run / "projects").rglob("*.jsonl")
    with path.open("a", encoding="utf-8") as transcript:
        transcript.write(json.dumps(record) + "\n")


def _news(folders: tuple[Path, Path]) -> News:
    news = news_of(NEW, played(*folders, FOLDER))
    assert news is not None
    return news


def test_a_version_that_does_the_same_brings_nothing(tmp_path: Path) -> None:
    news = _news(_played_anew(tmp_path))
    assert (news.before, news.scenarios) == (OLD, ("tools",))
    assert [news.unknown, news.came, news.went, news.misses] == [Counter(), (), (), Counter()]
    assert str(news).count(": nothing") == 4


def test_names_that_a_version_writes_and_sends_for_the_first_time_are_listed(tmp_path: Path) -> None:
    runs, reports = _played_anew(tmp_path)
    run = runs / NEW / "tools"
    _append(run, {"type": "attachment", "attachment": {"type": "tide_table", "heights": []}})
    rows = wire.rows(run)
    rows[0]["tools"].append({"name": "Gauge", "sha256": "0"})
    rows[0]["betas"] += ",tides-2026-11-01"
    wire.write(run, rows)
    news = _news((runs, reports))
    assert set(news.came) == {
        ("attachment", "tide_table"),
        ("beta", "tides-2026-11-01"),
        ("key", "attachment.tide_table.heights"),
        ("key", "attachment.tide_table.type"),
        ("tool", "Gauge"),
    }
    assert news.unknown == Counter({("attachment", "tide_table"): 1})
    assert "Lucid does not know: attachment tide_table (1 x)" in str(news)


def test_what_a_version_no_longer_writes_is_listed(tmp_path: Path) -> None:
    runs, reports = _played_anew(tmp_path)
    (path,) = (runs / NEW / "tools" / "projects").rglob("*.jsonl")
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if '"type":"api-request' not in line), "utf-8")
    assert {name for what, name in _news((runs, reports)).went if what == "record"} >= {"api-request"}


def test_a_miss_that_the_version_before_does_not_have_is_listed(tmp_path: Path) -> None:
    runs, reports = _played_anew(tmp_path)
    report = Report(NEW)
    report.miss("tools", Miss("conversation", UNEXPLAINED, "request 3"))
    report.save(reports / NEW / "tools.json")
    assert _news((runs, reports)).misses == Counter({("conversation", UNEXPLAINED): 1})


def test_nothing_is_said_of_a_version_that_none_was_recorded_before(tmp_path: Path) -> None:
    assert news_of("2.0.1", played(tmp_path, tmp_path, FOLDER)) is None


def test_make_truth_takes_one_client_or_several() -> None:
    def command(*arguments: str) -> str:
        return subprocess.run(
            ["make", "--dry-run", "truth", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout

    assert "--clients latest" in command("CLIENT=latest")
    assert "--clients 2.1.20 latest" in command("CLIENTS=2.1.20 latest")
    assert "--clients" not in command()
