"""Measurements that need our own process: queries of a page, requests of a session, a line as the watcher takes it."""

from __future__ import annotations

import json
import sys
import time
import uuid
from pathlib import Path

import django


def main(action: str, arguments: list[str]) -> None:
    django.setup()
    match action:
        case "append":
            print(json.dumps(_append(Path(arguments[0]), int(arguments[1]))))
        case "captures":
            print(json.dumps(_captures(int(arguments[0]))))
        case "queries":
            print(json.dumps([_queries(address) for address in arguments]))
        case "requests":
            print(json.dumps(_requests(arguments[0], int(arguments[1]))))
        case _:
            raise SystemExit(f"unknown measurement {action}")


def _append(path: Path, times: int) -> list[float]:
    """Milliseconds from the end of each write to the end of its import."""
    from sessions.imports.services.sync import sync_files

    last = json.loads(path.read_bytes().splitlines()[-1])
    parent, taken = None, []
    for number in range(times):
        record = {
            "parentUuid": parent,
            "isSidechain": False,
            "type": "user",
            "message": {"role": "user", "content": f"And one more question, number {number}"},
            "uuid": str(uuid.uuid4()),
            "timestamp": "2026-06-01T12:00:00.000Z",
            "sessionId": last.get("sessionId", path.stem),
        }
        with path.open("ab") as file:
            file.write(json.dumps(record).encode() + b"\n")
        started = time.perf_counter()
        grown = sync_files([path])
        taken.append(1000 * (time.perf_counter() - started))
        if not grown:
            raise SystemExit(f"the line appended to {path} was not imported")
        parent = record["uuid"]
    return taken


def _captures(expected: int) -> int:
    """Bytes that the tables of captures take in the database, indexes included."""
    from django.db import connection

    named = "SELECT name FROM sqlite_master WHERE tbl_name IN ('transcripts_capture', 'transcripts_captureblob')"
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM transcripts_capture WHERE request_bytes > 500000")
        if (result := cursor.fetchone()[0]) < expected:
            raise SystemExit(f"of {expected} requests, {result} were stored")
        cursor.execute(f"SELECT sum(pgsize) FROM dbstat WHERE name IN ({named})")
        return int(cursor.fetchone()[0])


def _queries(address: str) -> int:
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client = Client(headers={"host": "127.0.0.1"})
    with CaptureQueriesContext(connection) as captured:
        response = client.get(address, follow=True)
    if response.status_code != 200:
        raise SystemExit(f"{address} answered {response.status_code}")
    return len(captured)


def _requests(session: str, count: int) -> list[tuple[str, int]]:
    """So many requests of a session, evenly spread: the answer's id, and where it stands."""
    from sessions.models import Request

    requests = Request.objects.filter(transcript__public_id=session).order_by("position")
    total = requests.count()
    chosen = [requests[total * step // count + total // (2 * count)] for step in range(count)]
    return [(item.message_id, item.position) for item in chosen]


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
