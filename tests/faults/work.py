"""What a forked child of the warm process does: a command, a page, or a look at what is stored. Its output is all that
the other side sees of it."""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connections

from inspector.runs.services import execute, reap

LOCK = ".consolidate-lock"
WORK: dict[str, Callable[..., int]] = {}


SECONDS = 1.0
"""How long work waits for a database that fails. In the wild it is up to ten minutes. Those who look after runs that
have lost their message wait half a minute there, and do not wait at all here."""


def do(name: str, arguments: dict[str, Any]) -> int:
    execute.CLAIM_SECONDS = execute.FINISH_SECONDS = execute.IMPATIENT_SECONDS = SECONDS
    reap.UNSENT_SECONDS = reap.UNTAKEN_SECONDS = 0.0
    status = WORK[name](**arguments)
    connections.close_all()
    return status


def _named(function: Callable[..., int]) -> Callable[..., int]:
    WORK[function.__name__] = function
    return function


@_named
def lucid(argv: list[str], pieces: bool = False) -> int:
    """A command. `pieces`: an import takes the way of a large one, in small pieces."""
    from inspector.cli import run

    if pieces:
        _in_pieces()
    return run(argv)


def _in_pieces() -> None:
    from sessions.archive.engine.frames import BLOCK_SIZE
    from sessions.imports.engine.scan import stretches
    from sessions.imports.services import bulk, import_work

    bulk.LARGE_BYTES = 0
    stretches.STRETCH = BLOCK_SIZE
    import_work.COMMIT_BYTES = BLOCK_SIZE


@_named
def pages(posts: list[list[Any]]) -> int:
    """Forms, one after the other, as far as they are taken. Prints the status and the words of the last answer."""
    client = _client()
    status, words = 0, ""
    for path, fields in posts:
        answer = client.post(path, fields)
        status, words = answer.status_code, _words(answer.content.decode(errors="replace"))
        if status >= 400:
            break
    print(json.dumps({"status": status, "words": words[:600]}))
    return 0 if status < 400 else 1


def _client() -> Any:
    from django.test import Client

    return Client(raise_request_exception=False, headers={"host": "127.0.0.1"})


def _words(html: str) -> str:
    main = html.partition("<main")[2].partition("</main>")[0] or html
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", main)).strip()


@_named
def latest() -> int:
    """Numbers that commands ask for."""
    from compaction.models import Compaction
    from memory.models import Batch, Cause

    edit = Batch.objects.filter(cause=Cause.EDIT, state=Batch.State.DONE).order_by("-pk").first()
    compaction = Compaction.objects.order_by("-pk").first()
    print(json.dumps({"edit": edit and edit.pk, "compaction": compaction and compaction.run_id}))
    return 0


@_named
def record(name: str) -> int:
    """A recording is written, as the endpoint does, and stored, as a worker does."""
    from sessions.capture.endpoint.spool_location import spool_of
    from sessions.capture.services.ingest import captures_ingest
    from tests.sessions.capture.capturing import exchange, request

    body = request({"role": "user", "content": "How high is the water?"})
    try:
        spool_of(settings.LUCID_HOME).write(exchange(body, name=name))
        print(json.dumps({"recorded": True}))
        captures_ingest()
    except (OSError, DatabaseError) as error:
        # What the thread that stores them waits out; see captures_follow.
        print(f"lucid: {error}", file=sys.stderr)
        return 1
    return 0


@_named
def queue() -> int:
    """Somebody starts a run on a page; a worker takes its message and does it."""
    client = _client()
    answer = client.post("/runs/start/", {"kind": "check archive"})
    if answer.status_code >= 400:
        print(json.dumps({"status": answer.status_code, "words": _words(answer.content.decode())[:600]}))
        return 1
    return _take_messages()


def _take_messages() -> int:
    from kombu.exceptions import ChannelError

    from inspector.celery import app
    from inspector.runs.services import run_execute

    try:
        with app.connection_for_read() as connection:
            channel: Any = connection.default_channel
            name = app.conf.task_default_queue
            app.amqp.queues[name](channel).declare()
            while (message := channel.basic_get(name)) is not None:
                run_execute(run_id=message.payload[0][0])
                message.ack()
    except (OSError, ChannelError, DatabaseError) as error:
        # The worker writes it to its log, waits and comes again.
        print(f"lucid: {error}", file=sys.stderr)
        return 1
    return 0


@_named
def admit() -> int:
    """A browser is let in: the key of the owner, a token, its use, and the key replaced."""
    from inspector.owner.access_tokens import token_create, token_use
    from inspector.owner.key import owner_key, owner_key_replace

    home = Path(settings.LUCID_HOME)
    try:
        owner_key(home)
        token = token_create(home)
        assert token_use(home, token)
        assert not token_use(home, token)
        owner_key_replace(home)
        assert len(owner_key(home).secret) > 40
    except OSError as error:
        print(f"lucid: {error.strerror}", file=sys.stderr)
        return 1
    return 0


@_named
def next_start(repair: bool = False) -> int:
    """What a server, its watcher and its worker do when they start. Then what is stored."""
    from inspector.cli import run
    from inspector.runs.services.reap import runs_reap
    from inspector.startup.database import ensure_database
    from inspector.watcher.follow import follow
    from memory.dreams.services.dream_lock import dreams_clean_up
    from memory.files.services.scanning import memory_follow
    from sessions.capture.services.ingest import captures_ingest

    ensure_database(check=True)
    stopped = threading.Event()
    stopped.set()
    config = Path(settings.CLAUDE_CONFIG_DIR)
    runs_reap()
    follow(config, stopped)
    if (config / "projects").is_dir():
        memory_follow(projects=config / "projects")
    dreams_clean_up()
    captures_ingest()
    _take_messages()
    if status := run(["check", "--repair"] if repair else ["check"]):
        return status
    print(json.dumps(_stored()))
    return 0


@_named
def stored() -> int:
    print(json.dumps(_stored()))
    return 0


def _stored() -> dict[str, Any]:
    from compaction.models import Compaction, Export
    from inspector.runs.models import Run
    from memory.files.engine.disk import digest_of
    from memory.history.selectors.contents import content_of
    from memory.models import Batch, Proposal, Version
    from sessions.models import Block, Capture, Entry, Mark, Request, Source, Transcript, Turn

    names = dict(Transcript.objects.values_list("pk", "public_id"))
    entries = [
        (names[pk >> 26], pk & 67108863, *rest)
        for pk, *rest in Entry.objects.values_list("pk", "offset", "length", "uuid_key", "flags", "turn")
    ]
    config = Path(settings.CLAUDE_CONFIG_DIR)
    digests = set(Version.objects.exclude(blob=None).values_list("blob__digest", flat=True))
    return {
        "entries": _digest(entries),
        "entry_count": len(entries),
        "turns": _digest((names[pk >> 26], pk & 67108863) for pk in Turn.objects.values_list("pk", flat=True)),
        "requests": _digest(Request.objects.values_list("transcript__public_id", "message_id", "input", "output")),
        "marks": _digest(Mark.objects.values_list("transcript__public_id", "first", "last", "fate")),
        "totals": _digest(Transcript.objects.values_list("public_id", "entries", "turns", "requests", "indexed")),
        "bytes": {path: _archived(pk) for pk, path in Source.objects.values_list("pk", "path")},
        "blocks": Block.objects.count(),
        "found": _found_by_search(names),
        "memory": _files(config),
        "temporaries": sorted(
            path.name for path in config.glob("projects/*/memory/**/.*") if path.is_file() and path.name != LOCK
        ),
        "lock": [path.read_text() for path in config.glob(f"projects/*/memory/{LOCK}")],
        "home": sorted(_home_names()),
        "running": Run.objects.filter(status=Run.Status.RUNNING).count(),
        "queued": Run.objects.filter(status=Run.Status.QUEUED).count(),
        "begun": Batch.objects.filter(state=Batch.State.BEGUN).count(),
        "proposals": Proposal.objects.count(),
        "bad_versions": sum(digest_of(content_of(digest) or b"") != digest for digest in digests),
        "compactions": Compaction.objects.count(),
        "exported": Export.objects.count(),
        "exports_missing": sum(not os.path.exists(path) for path in Export.objects.values_list("path", flat=True)),
        "checks": Run.objects.filter(
            kind="check archive", status=Run.Status.COMPLETED, worker__gt="", queued_at__gt=0
        ).count(),
        "captures": Capture.objects.count(),
    }


def _archived(source_id: int) -> str:
    from sessions.archive.engine.frames import decompress
    from sessions.models import Block
    from sessions.transcripts.engine.entry_ids import BLOCK_BITS

    first = source_id << BLOCK_BITS
    blocks = Block.objects.filter(pk__gte=first, pk__lt=first + (1 << BLOCK_BITS)).order_by("pk")
    return sha256(b"".join(decompress(bytes(data)) for data in blocks.values_list("data", flat=True))).hexdigest()


def _found_by_search(names: dict[int, str]) -> str:
    from django.db import connection

    sql = "SELECT rowid FROM transcripts_text WHERE transcripts_text MATCH 'harbour'"
    if connection.vendor == "postgresql":
        sql = "SELECT DISTINCT entry_id FROM transcripts_text WHERE body @@ 'harbour'::tsquery"
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return _digest((names[pk >> 26], pk & 67108863) for (pk,) in cursor.fetchall())


def _files(config: Path) -> dict[str, str]:
    return {
        str(path.relative_to(config)): sha256(path.read_bytes()).hexdigest()
        for path in config.glob("projects/*/memory/**/*")
        if path.is_file() and not path.name.startswith(".")
    }


def _home_names() -> set[str]:
    """Every file in the home, without what is different each time."""
    home = Path(settings.LUCID_HOME)
    named = (str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())
    return {
        re.sub(r"[0-9a-f]{8,}|\d+", "#", re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "#", name))
        for name in named
    }


def _digest(rows: Any) -> str:
    return sha256("\n".join(sorted(map(repr, rows))).encode()).hexdigest()[:16]
