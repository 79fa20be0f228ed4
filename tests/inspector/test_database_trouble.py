"""What people see while another program holds the database, and while PostgreSQL is away."""

from __future__ import annotations

import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from html import unescape
from pathlib import Path

import pytest

from tests.posting import post
from tests.servers import free_port, postgres_server, stop_postgres
from tests.serving import Server, serving

TYPED = "two lines\r\nwith “quotes”, <b>, & and a 'word'"


@contextmanager
def held(path: Path) -> Iterator[None]:
    """A connection that writes, as another program would."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, made_home: Path) -> Iterator[Server]:
    home = shutil.copytree(made_home, tmp_path_factory.mktemp("held") / "home")
    with serving(home, "--no-watch", LUCID_WORKER="off") as result:
        yield result


def test_what_is_sent_while_another_program_writes_is_kept_in_the_page(server: Server) -> None:
    with held(server.home / "lucid.sqlite3"):
        refused = post(server, "/runs/start/?from=here", kind="check archive", words=TYPED)
        assert server.get("/sessions/").status == 200
    assert refused.status == 503, "".join(server.lines)
    assert refused.headers["Retry-After"] == "5"
    assert refused.headers["Lucid-Says"].startswith("The database is held by another program")
    html = refused.body.decode()
    assert "<h1>The database is busy</h1>" in html
    assert 'http-equiv="refresh"' not in html  # a browser would ask for the address, and lose what was sent
    assert 'action="/runs/start/?from=here"' in html
    sent = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', html))
    fields = {name: unescape(value) for name, value in sent.items() if name != "csrfmiddlewaretoken"}
    assert fields == {"kind": "check archive", "words": TYPED}
    assert post(server, "/runs/start/", **fields).status == 303


def test_a_database_that_is_away_is_told_and_comes_back_by_itself(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="lucid-postgres-") as folder, ExitStack() as stack:
        data, port = Path(folder), free_port()
        url = stack.enter_context(postgres_server(data, port))
        server = stack.enter_context(serving(tmp_path / "home", "--no-watch", LUCID_WORKER="off", DATABASE_URL=url))
        assert server.get("/sessions/").status == 200
        stop_postgres(data, port)
        refused = server.get("/sessions/")
        assert refused.status == 503, "".join(server.lines)
        html = refused.body.decode()
        assert "<h1>The database is away</h1>" in html
        assert '<meta http-equiv="refresh" content="5">' in html
        assert server.get("/sessions/").status == 503
        assert "Traceback" not in "".join(server.lines)
        stack.enter_context(postgres_server(data, port))
        stack.callback(stop_postgres, data, port)
        assert server.get("/sessions/").status == 200, "".join(server.lines)
