from __future__ import annotations

import json
import logging
import multiprocessing
import resource
from pathlib import Path
from typing import Any

import pytest

from inspector.logs import SharedRotatingFile
from tests.serving import Server, serving, wait_until

WRITERS = 4
LINES = 400


def lines_of(server: Server) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (server.home / "logs" / "lucid.log").read_text().splitlines()]


@pytest.mark.usefixtures("ready_home")
def test_a_request_is_one_json_line_without_its_query(tmp_path: Path) -> None:
    with serving(tmp_path / "home", "--no-watch", LUCID_WORKER="off") as server:
        server.get("/health/?q=private-words")
        server.get("/no-such-page/?q=private-words")
        wait_until(lambda: len(lines_of(server)) >= 2)
        result = {line["request"]: line for line in lines_of(server) if line["event"] == "request_finished"}
    terminal = "".join(server.lines)
    assert result["GET /health/"]["code"] == 200
    assert result["GET /health/"]["level"] == "info"
    assert 0 <= result["GET /health/"]["ms"] < 10_000
    assert result["GET /no-such-page/"]["code"] == 404
    assert "private-words" not in (server.home / "logs" / "lucid.log").read_text()
    assert "GET /health/" not in terminal
    assert "GET /no-such-page/" in terminal


@pytest.mark.usefixtures("ready_home")
def test_the_log_level_is_obeyed(tmp_path: Path) -> None:
    with serving(tmp_path / "home", "--no-watch", LUCID_WORKER="off", LUCID_LOG_LEVEL="error") as server:
        server.get("/no-such-page/")
    assert not (server.home / "logs" / "lucid.log").exists()


def _write(path: Path, number: int) -> None:
    handler = SharedRotatingFile(path, maxBytes=20_000, backupCount=50, encoding="utf-8", delay=True)
    for line in range(LINES):
        words = json.dumps({"writer": number, "line": line, "fill": "x" * 50})
        handler.handle(logging.LogRecord("writer", logging.INFO, "", 0, words, None, None))
    handler.close()


def test_processes_share_a_bounded_log_without_losing_a_line(tmp_path: Path) -> None:
    path = tmp_path / "shared.log"
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(path, number)) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    files = [file for file in tmp_path.iterdir() if file.suffix != ".lock"]
    assert len(files) > 3
    assert all(file.stat().st_size < 25_000 for file in files)
    seen = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    assert len(seen) == WRITERS * LINES


def test_a_traceback_holds_no_local_variables(tmp_path: Path) -> None:
    from inspector.logs import logging_config

    config = logging_config(tmp_path / "lucid.log", "INFO")
    formatter = config["formatters"]["json"]["()"](
        **{name: value for name, value in config["formatters"]["json"].items() if name != "()"}
    )
    try:
        words = "what a transcript says"
        raise RuntimeError(f"{len(words)} characters")
    except RuntimeError:
        import sys

        record = logging.LogRecord("here", logging.ERROR, __file__, 1, "failed", None, sys.exc_info())
    line = formatter.format(record)
    assert "RuntimeError" in line
    assert words not in line


def test_what_apps_below_log_has_its_facts(tmp_path: Path) -> None:
    from inspector.logs import logging_config

    options = dict(logging_config(tmp_path / "lucid.log", "INFO")["formatters"]["json"])
    formatter = options.pop("()")(**options)
    record = logging.getLogger("memory").makeRecord(
        "memory", logging.WARNING, __file__, 1, "memory_not_scanned", (), None, extra={"directory": "/here"}
    )
    line = json.loads(formatter.format(record))
    assert (line["event"], line["directory"], line["level"]) == ("memory_not_scanned", "/here", "warning")


def test_a_full_disk_is_said_once_and_the_log_goes_on_when_there_is_room(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    handler = SharedRotatingFile(tmp_path / "logs" / "lucid.log", maxBytes=20_000, encoding="utf-8", delay=True)

    def log(words: str) -> None:
        handler.handle(logging.LogRecord("writer", logging.INFO, "", 0, words, None, None))

    log("before")
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (7, usual[1]))
    try:
        log("there is no room for this")
        log("nor for that")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    log("after")
    handler.close()
    error_text = capsys.readouterr().err
    assert error_text.count("\n") == 1, error_text
    assert "nothing can be logged to" in error_text
    assert "file too large" in error_text
    assert (tmp_path / "logs" / "lucid.log").read_text() == "before\nafter\n"


def test_a_log_that_cannot_be_made_stops_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "logs").write_text("a file where the folder should be")
    handler = SharedRotatingFile(tmp_path / "logs" / "lucid.log", encoding="utf-8", delay=True)
    handler.handle(logging.LogRecord("writer", logging.INFO, "", 0, "words", None, None))
    assert "nothing can be logged to" in capsys.readouterr().err
