from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import time
from pathlib import Path

import pytest

from tests.serving import lucid, serving, wait_until


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def refusal(home: Path, *arguments: str) -> str:
    """The one line in which it says why it does not start."""
    result = lucid(home, "serve", "--no-watch", *arguments)
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr


@pytest.fixture
def database(home: Path, made_home: Path) -> Path:
    """As an earlier start left it."""
    return shutil.copytree(made_home, home) / "lucid.sqlite3"


def test_it_answers_on_a_new_home_and_tells_where(home: Path) -> None:
    with serving(home, "--no-watch") as server:
        answer = server.get("/health/")
        assert answer.status == 200
        assert json.loads(answer.body)["status"] == "ok"
        assert "".join(server.lines).count("http://") == 1
        settings = server.get("/settings/").body.decode()
        assert f"127.0.0.1:{server.port}</code>" in settings
        assert {"lucid serve --bind", "lucid serve --no-watch"} <= set(re.findall(r"lucid serve --[a-z-]+", settings))
    assert oct((home / "secret.key").stat().st_mode)[-3:] == "600"
    assert oct(home.stat().st_mode)[-3:] == "700"


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_everything_within_seconds_and_without_noise(home: Path, number: signal.Signals) -> None:
    with serving(home, "--no-watch") as server:
        wait_until(lambda: len(server.helpers()) == 1)
        time.sleep(0.5)
        assert server.stop(number) == 0
        assert server.helpers() == []
    assert "Traceback" not in "".join(server.lines)


@pytest.mark.usefixtures("database")
def test_no_helper_outlives_a_server_that_was_killed(home: Path) -> None:
    with serving(home, "--no-watch") as server:
        wait_until(lambda: len(server.helpers()) == 1)
        server.stop(signal.SIGKILL)
        wait_until(lambda: server.helpers() == [])


@pytest.mark.usefixtures("database")
def test_a_helper_that_dies_is_reported_and_started_again(home: Path) -> None:
    with serving(home, "--no-watch") as server:
        wait_until(lambda: len(server.helpers()) == 1)
        answers = []

        def reported() -> bool:
            # On a busy machine it may be back before anybody asks; each time it stays away for longer.
            for helper in server.helpers():
                os.kill(helper, signal.SIGKILL)
            answers.append(server.get("/health/"))
            return answers[-1].status == 503

        wait_until(reported)
        assert json.loads(answers[-1].body)["reasons"] == ["the worker died and is being restarted"]
        wait_until(lambda: len(server.helpers()) == 1)
        wait_until(lambda: server.get("/health/").status == 200)


def test_a_taken_port_is_named(home: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert f"Port {port} on 127.0.0.1 is taken" in refusal(home, "--bind", f"127.0.0.1:{port}")


def test_it_listens_on_this_machine_only(home: Path) -> None:
    assert "listens on this machine only" in refusal(home, "--bind", "0.0.0.0:8765")


@pytest.mark.usefixtures("database")
def test_a_second_server_on_the_same_home_is_pointed_to_the_first(home: Path) -> None:
    with serving(home, "--no-watch") as server:
        assert f"already runs on {server.url}" in refusal(home, "--bind", "127.0.0.1:0")


def test_a_home_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    home = tmp_path / "file" / "home"
    assert f"cannot write to its home {home}" in refusal(home)


def test_a_directory_in_the_place_of_the_database_is_called_so(home: Path) -> None:
    path = home / "lucid.sqlite3"
    path.mkdir(parents=True)
    sentence = f"lucid: The database {path} is a directory; move it away, or name a file in DATABASE_URL.\n"
    assert refusal(home) == sentence
    result = lucid(home, "sessions")
    assert (result.returncode, result.stderr) == (1, sentence)


def test_a_damaged_database_is_named_and_left_alone(home: Path) -> None:
    home.mkdir()
    path = home / "lucid.sqlite3"
    path.write_bytes(b"not a database at all " * 400)
    sentence = refusal(home)
    assert f"The database {path} is damaged" in sentence
    assert "transcripts, which are untouched" in sentence
    assert path.read_bytes() == b"not a database at all " * 400


def test_a_database_of_a_newer_version_is_refused(home: Path, database: Path) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('transcripts', '9999_later', '2030-01-01')"
        )
    assert "was made by a newer Lucid (transcripts.9999_later)" in refusal(home)


def test_an_older_database_is_kept_as_a_copy_and_brought_up_to_date(home: Path) -> None:
    assert lucid(home, "migrate", "transcripts", "0001", "--verbosity", "0").returncode == 0
    with serving(home, "--no-watch") as server:
        assert server.get("/health/").status == 200
        text = "".join(server.lines)
    assert "The database is of an older Lucid (transcripts.0001_initial)" in text
    (copy,) = (home / "backups").iterdir()
    assert str(copy) in text
    with sqlite3.connect(copy) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM django_migrations WHERE app = 'transcripts'")]
    assert names == ["0001_initial"]


@pytest.mark.usefixtures("database")
def test_the_demo_is_imported_and_shown_and_the_watcher_stops_too(home: Path) -> None:
    with serving(home, "--demo") as server:
        assert server.get("/").status == 200
        wait_until(lambda: b"tidewatch" in server.get("/sessions/").body)
        assert json.loads(server.get("/health/").body)["watcher"] == "running"
        assert server.get("/").status == 200
        assert server.stop() == 0
        assert server.helpers() == []
    text = "".join(server.lines)
    assert "Traceback" not in text
    assert "helper_killed" not in text
