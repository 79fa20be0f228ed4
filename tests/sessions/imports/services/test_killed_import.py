"""An import that is killed without warning, at any point, loses nothing and doubles nothing."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from sessions.archive.engine.frames import BLOCK_SIZE, decompress
from tests.serving import PATIENCE
from tests.sessions.writing import Writing

ROOT = Path(__file__).resolve().parents[4]
SESSIONS = 6
KILLS = 5
# Small pieces, so that there are many moments between two commits.
IMPORT = """
import sys, time
import django
django.setup()
from pathlib import Path
from sessions.imports.engine.scan import stretches
from sessions.imports.services import bulk, import_work, sync
bulk.LARGE_BYTES = int(sys.argv[2])
stretches.STRETCH = stretches.BLOCK_SIZE
import_work.COMMIT_BYTES = stretches.BLOCK_SIZE
print("ready", flush=True)
sync.sync([Path(sys.argv[1])], workers=2, listener=lambda progress: time.sleep(0.01))
print("done", flush=True)
"""


# In the middle of its files, with processes that scan them, it says so and goes no farther.
HALF = IMPORT.replace("time.sleep(0.01)", "progress.entries and (print('half', flush=True), time.sleep(600))")


def start(home: Path, config: Path, large: int, text: str = IMPORT) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", text, str(config), str(large)],
        cwd=ROOT,
        env={**os.environ, "LUCID_HOME": str(home), "DJANGO_SETTINGS_MODULE": "inspector.settings", "DATABASE_URL": ""},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def contents(home: Path) -> dict[str, object]:
    """Everything that an import stores, free of ids that depend on the order of files."""
    database = sqlite3.connect(home / "lucid.sqlite3")
    names = dict(database.execute("SELECT id, public_id FROM transcripts_transcript"))
    entries = database.execute(
        'SELECT id >> 26, id & 67108863, "offset", length, uuid_key, flags, turn FROM transcripts_entry ORDER BY id'
    ).fetchall()
    texts = [
        row[0] for row in database.execute("SELECT rowid FROM transcripts_text WHERE transcripts_text MATCH 'harbour'")
    ]
    values: dict[str, object] = {
        "entries": sorted((names[row[0]], *row[1:]) for row in entries),
        "turns": sorted(
            (names[row[0]], *row[1:])
            for row in database.execute(
                "SELECT id >> 26, id & 67108863, first, last, calls, requests, input, output FROM transcripts_turn"
            )
        ),
        "texts": sorted((names[rowid >> 26], rowid & 67108863) for rowid in texts),
        "totals": sorted(
            database.execute(
                "SELECT public_id, entries, turns, requests, input, output, lines FROM transcripts_transcript"
            )
        ),
        "marks": sorted(
            database.execute(
                "SELECT public_id, first, last, fate FROM transcripts_mark m"
                " JOIN transcripts_transcript t ON t.id = m.transcript_id"
            )
        ),
        "bytes": {
            names[transcript]: b"".join(
                decompress(data)
                for (data,) in database.execute(
                    "SELECT data FROM transcripts_block WHERE id >> 24 = ? ORDER BY id", [source]
                )
            )
            for transcript, source in database.execute("SELECT id, source_id FROM transcripts_transcript")
        },
    }
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.execute("INSERT INTO transcripts_text (transcripts_text) VALUES ('integrity-check')")
    database.close()
    return values


@pytest.mark.parametrize("large", [0, 1 << 40], ids=["bytes-later", "bytes-at-once"])
def test_an_import_killed_at_random_points_ends_up_like_one_that_was_not(
    tmp_path: Path, made_home: Path, large: int
) -> None:
    config = tmp_path / "config"
    for number in range(SESSIONS):
        writing = Writing(session=f"{number:08d}-0000-4000-8000-000000000000").turns(800)
        path = writing.save(config / "projects" / "-home-dev-tidewatch")
        assert path.stat().st_size > 3 * BLOCK_SIZE
    calm, stormy = (shutil.copytree(made_home, tmp_path / name) for name in ("calm", "stormy"))
    with start(calm, config, large) as process:
        assert process.wait(PATIENCE) == 0

    chance = random.Random(7)
    kills = 0
    while True:
        with start(stormy, config, large) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            if kills >= KILLS:
                assert process.wait(PATIENCE) == 0
                break
            time.sleep(chance.uniform(0, 0.5))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(PATIENCE)
            kills += 1

    assert contents(stormy) == contents(calm)


def test_the_processes_of_an_import_that_is_killed_do_not_keep_its_lock(tmp_path: Path, made_home: Path) -> None:
    shutil.copytree(made_home, tmp_path / "home")
    config = tmp_path / "config"
    for number in range(SESSIONS):
        writing = Writing(session=f"{number:08d}-0000-4000-8000-000000000000").turns(200)
        writing.save(config / "projects" / "-home-dev-tidewatch")
    with start(tmp_path / "home", config, 1 << 40, HALF) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["ready\n", "half\n"]
        process.kill()  # and nobody else of its group
        process.wait(PATIENCE)
        with start(tmp_path / "home", config, 1 << 40) as following:
            try:
                words = following.communicate(timeout=PATIENCE)[0]
            finally:
                for group in (process.pid, following.pid):
                    with suppress(ProcessLookupError):
                        os.killpg(group, signal.SIGKILL)
    assert words == "ready\ndone\n"
