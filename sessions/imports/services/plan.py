"""Decides what an import has to read: compares the files on disk with what the archive holds of them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import NamedTuple

import orjson
from django.db import transaction

from inspector.locks.hosts import own_hosts, this_host
from sessions.archive.engine.damage import DamageError
from sessions.archive.engine.file_prints import PRINT_BYTES, print_of, tail_print
from sessions.archive.selectors.records import Reader
from sessions.imports.engine.discovery import Candidate, is_transcript
from sessions.imports.services.import_lock import ImportLock
from sessions.imports.services.inserting import insert
from sessions.imports.services.jobs import Job
from sessions.imports.services.writer import WriteCounts
from sessions.models import (
    Entry,
    Project,
    Source,
    Transcript,
)
from sessions.text.engine.storable import storable_json
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK
from sessions.transcripts.engine.paths import decode_path, encode_path

OWN_NAME = re.compile(r"([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|agent-[0-9a-z-]+)\.jsonl")
COMPARE_STEP = 4 * 1024 * 1024
META_BYTES = 1024 * 1024
SOURCE_COLUMNS = ("path", "host", "kind", "device", "inode", "size", "mtime_ns")
TRANSCRIPT_COLUMNS = ("source_id", "project_id", "kind", "public_id", "session_id", "agent_id", "meta")


@dataclass(slots=True)
class Plan:
    jobs: list[Job] = field(default_factory=list)
    files: int = 0
    bytes: int = 0
    todo_bytes: int = 0
    skipped: list[str] = field(default_factory=list)
    """Files that are no transcripts."""
    failed: list[str] = field(default_factory=list)
    left: list[tuple[Candidate, str]] = field(default_factory=list)
    """Files that another host may be reading at this moment, with the host."""

    def put_off_packing(self) -> None:
        """Of new files: their lines first, so that people can read them, then their bytes."""
        self.jobs = [
            replace(job, pack=False) if job.transcript_id is not None and not job.start else job for job in self.jobs
        ]


class Known(NamedTuple):
    """What tells whether a file has changed. Of most files nothing else is needed."""

    host: str
    pk: int
    state: str
    size: int
    archived: int
    mtime_ns: int

    def same(self, candidate: Candidate) -> bool:
        return (
            self.state == Source.State.PRESENT
            and self.size == candidate.size == self.archived
            and self.mtime_ns == candidate.mtime_ns
        )


class Planner:
    def __init__(self, written: WriteCounts, paths: Sequence[str] | None = None, *, lock: ImportLock) -> None:
        """With `paths`, only these are looked at: nothing else can be found to have moved or vanished."""
        self._written = written
        self._lock = lock
        # Before the sources are: what a host that is not busy has read is then among them.
        self._busy = lock.busy_hosts()
        known = Source.objects.exclude(state=Source.State.REPLACED)
        if paths is not None:
            known = known.filter(path__in=paths)
        self._host = this_host()
        self._known: dict[str, Known] = {}
        self._elsewhere: dict[str, list[Known]] = defaultdict(list)
        """Sources of other hosts."""
        columns = ("path", "host", "pk", "state", "size", "archived", "mtime_ns")
        for path, host, *rest in known.order_by("host").values_list(*columns):
            if host in own_hosts():
                self._known[path] = Known(host, *rest)
            else:
                self._elsewhere[path].append(Known(host, *rest))
        self._projects: dict[str, Project] = {}
        self._taken: set[str] | None = None

    def plan(self, candidates: Iterable[Candidate], roots: Sequence[Path] = ()) -> Plan:
        """Newest files first: they are what people look for while the rest is still being read."""
        plan = Plan()
        fresh: list[Candidate] = []
        seen: set[str] = set()
        unread: list[str] = []
        for candidate in sorted(candidates, key=lambda one: -one.mtime_ns):
            if candidate.path in seen:
                continue
            seen.add(candidate.path)
            if candidate.refusal:
                unread.append(candidate.path)
                plan.failed.append(f"{candidate.path}: {candidate.refusal}")
                continue
            plan.files += 1
            plan.bytes += candidate.size
            known = self._known.get(candidate.path)
            if known is None:
                try:
                    self._unknown(plan, candidate, fresh)
                except OSError as error:
                    plan.failed.append(f"{candidate.path}: {error.strerror or error}")
            elif not known.same(candidate) and not self._left(plan, candidate, known):
                self._changed(plan, Source.objects.get(pk=known.pk), candidate)
        gone = self._gone(seen, roots, unread)
        with transaction.atomic():
            self._lock.guard()
            fresh = [candidate for candidate in fresh if not self._moved(candidate, gone)]
            self._vanish(gone.values())
            self._create(plan, fresh)
        plan.jobs.sort(key=lambda job: job.transcript_id is None)
        plan.todo_bytes = sum(job.size - job.start for job in plan.jobs)
        return plan

    def _unknown(self, plan: Plan, candidate: Candidate, fresh: list[Candidate]) -> None:
        """A file that this host has not seen: new, or the one that another host has under this path."""
        elsewhere = self._elsewhere.get(candidate.path, ())
        if any(known.same(candidate) or self._left(plan, candidate, known) for known in elsewhere):
            return
        for known in elsewhere:
            source = Source.objects.get(pk=known.pk)
            if candidate.size >= _known(source) and _continues(source, candidate):
                self._changed(plan, source, candidate)
                return
            if not source.owed and candidate.size < source.archived and _begins(source, candidate):
                return
        fresh.append(candidate)

    def _left(self, plan: Plan, candidate: Candidate, known: Known) -> bool:
        """Whether its host imports: what there is to compare with may grow at any moment, and is that host's to
        write. When it is done, we look again."""
        if known.host not in self._busy:
            return False
        plan.left.append((candidate, known.host))
        return True

    def _changed(self, plan: Plan, source: Source, candidate: Candidate) -> None:
        try:
            grown = candidate.size >= _known(source) and _continues(source, candidate)
        except OSError as error:
            plan.failed.append(f"{candidate.path}: {error.strerror or error}")
            return
        source.state = Source.State.PRESENT
        source.device, source.inode = candidate.device, candidate.inode
        source.mtime_ns, source.host = candidate.mtime_ns, self._host
        if not grown:
            self._replace(plan, source, candidate)
            return
        source.size = candidate.size
        with transaction.atomic():
            self._lock.guard()
            source.save(update_fields=["state", "host", "device", "inode", "mtime_ns", "size"])
        self._written.add("source", 1)
        if candidate.size > _known(source):
            plan.jobs.append(_job(source, candidate))

    def _replace(self, plan: Plan, source: Source, candidate: Candidate) -> None:
        """The file was rewritten: what we have becomes an earlier version, and the file is read from the start."""
        with transaction.atomic():
            self._lock.guard()
            source.state = Source.State.REPLACED
            source.save(update_fields=["state"])
            transcript = Transcript.objects.filter(source=source).first()
            if transcript is not None:
                transcript.public_id = self._free(f"{transcript.public_id}~was")
                transcript.save(update_fields=["public_id"])
            self._written.add("source", 1)
            self._taken = None
            self._create(plan, [candidate])

    def _gone(self, seen: set[str], roots: Sequence[Path], unread: list[str]) -> dict[tuple[int, int], Source]:
        """What is no longer below the roots; of what is in a directory that cannot be read, nobody knows."""
        if not roots:
            return {}
        starts = tuple(f"{encode_path(root)}/" for root in roots)
        unknown = tuple(f"{directory}/" for directory in unread)
        gone = [
            known.pk
            for path, known in self._known.items()
            if known.state == Source.State.PRESENT
            and path not in seen
            and path.startswith(starts)
            and not path.startswith(unknown)
        ]
        return {(source.device, source.inode): source for source in Source.objects.filter(pk__in=gone)}

    def _moved(self, candidate: Candidate, gone: dict[tuple[int, int], Source]) -> bool:
        """The same file under another name keeps its transcript."""
        source = gone.get((candidate.device, candidate.inode))
        try:
            size = None if source is None else source.size if source.owed else source.archived
            if source is None or candidate.size != size or not _continues(source, candidate):
                return False
        except OSError:
            return False  # it is opened once more as a new file, and then reported
        del gone[candidate.device, candidate.inode]
        source.path = candidate.path
        source.save(update_fields=["path"])
        project = self._project(candidate.project)
        moved = Transcript.objects.filter(source=source)
        moved.update(project=project)
        # A directory is called by where its sessions worked, and this one may be new.
        for cwd in moved.values_list("cwd", flat=True):
            Project.objects.filter(pk=project.pk, cwd="").update(cwd=cwd)
        self._written.add("source", 1)
        return True

    def _vanish(self, sources: Iterable[Source]) -> None:
        ids = [source.pk for source in sources]
        Source.objects.filter(pk__in=ids).update(state=Source.State.VANISHED)
        self._written.add("source", len(ids))

    def _create(self, plan: Plan, candidates: Sequence[Candidate]) -> None:
        kept = []
        for candidate in candidates:
            try:
                if _trusted(candidate) or is_transcript(decode_path(candidate.path)):
                    kept.append(candidate)
                else:
                    plan.skipped.append(candidate.path)
            except OSError as error:
                plan.failed.append(f"{candidate.path}: {error.strerror or error}")
        sources = insert(Source, SOURCE_COLUMNS, [_source(candidate, self._host) for candidate in kept])
        placed = list(zip(sources, kept, strict=True))
        conversations = [(source, candidate) for source, candidate in placed if candidate.role.kind != "result"]
        rows = [self._transcript(source, candidate) for source, candidate in conversations]
        transcripts = insert(Transcript, TRANSCRIPT_COLUMNS, rows)
        self._written.add("source", len(sources))
        self._written.add("transcript", len(transcripts))
        ids = {source: pk for (source, _), pk in zip(conversations, transcripts, strict=True)}
        for source, candidate in placed:
            role = candidate.role
            facts = {"session_id": role.session_id, "agent_id": role.agent_id}
            agent = role.kind != "main"
            path = str(decode_path(candidate.path))
            plan.jobs.append(Job(source, ids.get(source), path, 0, candidate.size, facts, agent))

    def _transcript(self, source: int, candidate: Candidate) -> tuple[object, ...]:
        role = candidate.role
        name = role.session_id if role.kind == "main" else f"agent-{role.agent_id}" if role.agent_id else ""
        return (
            source,
            self._project(candidate.project).pk,
            role.kind,
            self._free(name or Path(candidate.path).stem),
            role.session_id,
            role.agent_id,
            _meta(decode_path(candidate.path)) if role.kind != "main" else "{}",
        )

    def _project(self, directory: str) -> Project:
        project = self._projects.get(directory)
        if project is None:
            project, _ = Project.objects.get_or_create(directory=directory)
            self._projects[directory] = project
        return project

    def _free(self, name: str) -> str:
        """A public id that nobody has: names of files are unique only within a directory."""
        name = "".join(char if char.isalnum() or char in "-_.~" else "-" for char in name)[:180]
        # An address that is only dots would mean a directory.
        name = name.strip(".") or "unnamed"
        if self._taken is None:
            self._taken = set(Transcript.objects.values_list("public_id", flat=True))
        free, number = name, 1
        while free in self._taken:
            number += 1
            free = f"{name}~{number}"
        self._taken.add(free)
        return free


def _trusted(candidate: Candidate) -> bool:
    """Spilled output may hold anything; and a name that only the agent gives needs no second look."""
    return candidate.role.kind == "result" or OWN_NAME.fullmatch(PurePath(candidate.path).name) is not None


def _continues(source: Source, candidate: Candidate) -> bool:
    """Does the file still begin with what we have of it?"""
    end = _known(source)
    if not end:
        return True
    with decode_path(candidate.path).open("rb") as file:
        if not source.tail_hash:
            # Interrupted in the middle: only the bytes themselves can tell.
            return _equal(source, candidate.path)
        # The head was printed when the file may have been shorter than a whole print.
        if len(head := file.read(PRINT_BYTES)) >= PRINT_BYTES <= end and print_of(head) != source.head_hash:
            return False
        if tail_print(file, end) != source.tail_hash:
            return False
    return source.owed or candidate.size != source.archived or _equal(source, candidate.path)


def _known(source: Source) -> int:
    """How far we can tell whether the file is the same."""
    return source.imported if source.owed else source.archived


def _equal(source: Source, path: str) -> bool:
    """Byte for byte, for the rare file that was touched without changing its size."""
    with decode_path(path).open("rb") as file:
        for at in range(0, source.archived, COMPARE_STEP):
            length = min(COMPARE_STEP, source.archived - at)
            if file.read(length) != Reader(source.pk).read(at, length):
                return False
    return True


def _begins(source: Source, candidate: Candidate) -> bool:
    """Does what we have begin with the file? Then it is a copy that has fallen behind."""
    with decode_path(candidate.path).open("rb") as file:
        for at in range(0, candidate.size, COMPARE_STEP):
            data = file.read(COMPARE_STEP)
            try:
                if data != Reader(source.pk).read(at, min(COMPARE_STEP, candidate.size - at)):
                    return False
            except DamageError:
                continue  # what is damaged says nothing; the rest has to agree
    return True


def _source(candidate: Candidate, host: str) -> tuple[object, ...]:
    kind = Source.Kind.RESULT if candidate.role.kind == "result" else Source.Kind.TRANSCRIPT
    return candidate.path, host, str(kind), candidate.device, candidate.inode, candidate.size, candidate.mtime_ns


def _job(source: Source, candidate: Candidate) -> Job:
    transcript = Transcript.objects.filter(source=source).first()
    if transcript is None:
        # Spilled output has no lines: whatever was archived of it is written anew.
        return Job(source.pk, None, str(decode_path(source.path)), 0, candidate.size, None, False)
    agent = transcript.kind != Transcript.Kind.MAIN
    facts, links = transcript.state.get("facts"), transcript.state.get("links")
    if facts is None:
        facts = {"session_id": transcript.session_id, "agent_id": transcript.agent_id}
    facts = {**facts, "ruler": transcript.ruler}
    path = str(decode_path(source.path))
    base = transcript.pk << POSITION_BITS
    earlier = Entry.objects.filter(pk__gte=base, pk__lte=base | POSITION_MASK, uuid_key__isnull=False)
    seen = tuple(key for key in earlier.values_list("uuid_key", flat=True) if key is not None)
    return Job(
        source.pk,
        transcript.pk,
        path,
        source.imported,
        candidate.size,
        facts,
        agent,
        links,
        seen,
        pack=not source.owed,
    )


def _meta(path: Path) -> str:
    """What the client noted beside a sub-agent's transcript, as JSON."""
    path = path.with_suffix(".meta.json")
    try:
        if not path.is_file():  # a pipe of that name would keep us waiting
            return "{}"
        with path.open("rb") as file:
            meta = orjson.loads(file.read(META_BYTES))
    except (OSError, ValueError):
        return "{}"
    return storable_json(orjson.dumps(meta).decode()) if isinstance(meta, dict) else "{}"
