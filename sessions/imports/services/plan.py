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
from sessions.imports.services.jobs import Job
from sessions.imports.services.row_insertion import insert
from sessions.imports.services.writer import WriteCounts
from sessions.models import Entry, Project, Source, Transcript
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
    left_to_hosts: list[tuple[Candidate, str]] = field(default_factory=list)
    """Files that another host may be reading at this moment, with the host."""

    def put_off_packing(self) -> None:
        """Reads the lines of new files first, so that people can see them, and archives their bytes later."""
        self.jobs = [
            replace(job, pack=False) if job.transcript_id is not None and not job.start else job for job in self.jobs
        ]


class KnownSource(NamedTuple):
    """The fields that show whether a file has changed. Most files need no others."""

    host: str
    pk: int
    state: str
    size: int
    archived: int
    mtime_ns: int

    def is_same(self, candidate: Candidate) -> bool:
        return (
            self.state == Source.State.PRESENT
            and self.size == candidate.size == self.archived
            and self.mtime_ns == candidate.mtime_ns
        )


class Planner:
    def __init__(self, written: WriteCounts, paths: Sequence[str] | None = None, *, lock: ImportLock) -> None:
        """With `paths`, only these are examined, so nothing else counts as moved or vanished."""
        self._written = written
        self._lock = lock
        # Ask before reading the sources: they then include everything that an idle host has read.
        self._busy = lock.busy_hosts()
        sources = Source.objects.exclude(state=Source.State.REPLACED)
        if paths is not None:
            sources = sources.filter(path__in=paths)
        self._host = this_host()
        self._own_sources: dict[str, KnownSource] = {}
        self._other_sources: dict[str, list[KnownSource]] = defaultdict(list)
        """Sources of other hosts."""
        columns = ("path", "host", "pk", "state", "size", "archived", "mtime_ns")
        for path, host, *rest in sources.order_by("host").values_list(*columns):
            if host in own_hosts():
                self._own_sources[path] = KnownSource(host, *rest)
            else:
                self._other_sources[path].append(KnownSource(host, *rest))
        self._projects: dict[str, Project] = {}
        self._public_ids: set[str] | None = None

    def plan(self, candidates: Iterable[Candidate], roots: Sequence[Path] = ()) -> Plan:
        """Newest files first, because people look for those while the rest is still being read."""
        plan = Plan()
        new_candidates: list[Candidate] = []
        seen_paths: set[str] = set()
        unreadable: list[str] = []
        for candidate in sorted(candidates, key=lambda candidate: -candidate.mtime_ns):
            if candidate.path in seen_paths:
                continue
            seen_paths.add(candidate.path)
            if candidate.refusal:
                unreadable.append(candidate.path)
                plan.failed.append(f"{candidate.path}: {candidate.refusal}")
                continue
            plan.files += 1
            plan.bytes += candidate.size
            source = self._own_sources.get(candidate.path)
            if source is None:
                try:
                    self._plan_unknown(plan, candidate, new_candidates)
                except OSError as error:
                    plan.failed.append(f"{candidate.path}: {error.strerror or error}")
            elif not source.is_same(candidate) and not self._leave_to_host(plan, candidate, source):
                self._plan_changed(plan, Source.objects.get(pk=source.pk), candidate)
        vanished = self._find_vanished(seen_paths, roots, unreadable)
        with transaction.atomic():
            self._lock.guard()
            new_candidates = [candidate for candidate in new_candidates if not self._follow_move(candidate, vanished)]
            self._mark_vanished(vanished.values())
            self._create(plan, new_candidates)
        plan.jobs.sort(key=lambda job: job.transcript_id is None)
        plan.todo_bytes = sum(job.size - job.start for job in plan.jobs)
        return plan

    def _plan_unknown(self, plan: Plan, candidate: Candidate, new_candidates: list[Candidate]) -> None:
        """A file that this host has not seen is new, or the one that another host has under this path."""
        others = self._other_sources.get(candidate.path, ())
        if any(other.is_same(candidate) or self._leave_to_host(plan, candidate, other) for other in others):
            return
        for other in others:
            source = Source.objects.get(pk=other.pk)
            if candidate.size >= _comparable_bytes(source) and _continues(source, candidate):
                self._plan_changed(plan, source, candidate)
                return
            if not source.owed and candidate.size < source.archived and _is_outgrown(source, candidate):
                return
        new_candidates.append(candidate)

    def _leave_to_host(self, plan: Plan, candidate: Candidate, source: KnownSource) -> bool:
        """Whether its host is importing. What we would compare with may then grow at any moment, and only that host may
        write it, so we look again when it is done."""
        if source.host not in self._busy:
            return False
        plan.left_to_hosts.append((candidate, source.host))
        return True

    def _plan_changed(self, plan: Plan, source: Source, candidate: Candidate) -> None:
        try:
            grown = candidate.size >= _comparable_bytes(source) and _continues(source, candidate)
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
        if candidate.size > _comparable_bytes(source):
            plan.jobs.append(_make_job(source, candidate))

    def _replace(self, plan: Plan, source: Source, candidate: Candidate) -> None:
        """Handles a file that was rewritten: what we have becomes an earlier version, and the file is read from the
        start."""
        with transaction.atomic():
            self._lock.guard()
            source.state = Source.State.REPLACED
            source.save(update_fields=["state"])
            transcript = Transcript.objects.filter(source=source).first()
            if transcript is not None:
                transcript.public_id = self._free_public_id(f"{transcript.public_id}~was")
                transcript.save(update_fields=["public_id"])
            self._written.add("source", 1)
            self._public_ids = None
            self._create(plan, [candidate])

    def _find_vanished(
        self, seen_paths: set[str], roots: Sequence[Path], unreadable: list[str]
    ) -> dict[tuple[int, int], Source]:
        """Sources that are no longer below the roots. Those in a directory that cannot be read are left alone."""
        if not roots:
            return {}
        starts = tuple(f"{encode_path(root)}/" for root in roots)
        unreadable_starts = tuple(f"{directory}/" for directory in unreadable)
        vanished = [
            source.pk
            for path, source in self._own_sources.items()
            if source.state == Source.State.PRESENT
            and path not in seen_paths
            and path.startswith(starts)
            and not path.startswith(unreadable_starts)
        ]
        return {(source.device, source.inode): source for source in Source.objects.filter(pk__in=vanished)}

    def _follow_move(self, candidate: Candidate, vanished: dict[tuple[int, int], Source]) -> bool:
        """A file that was moved keeps its transcript."""
        source = vanished.get((candidate.device, candidate.inode))
        try:
            size = None if source is None else source.size if source.owed else source.archived
            if source is None or candidate.size != size or not _continues(source, candidate):
                return False
        except OSError:
            return False  # it is opened again as a new file, which reports the error
        del vanished[candidate.device, candidate.inode]
        source.path = candidate.path
        source.save(update_fields=["path"])
        project = self._project(candidate.project)
        transcripts = Transcript.objects.filter(source=source)
        transcripts.update(project=project)
        # A directory is named after the place where its sessions worked, and this one may be new.
        for cwd in transcripts.values_list("cwd", flat=True):
            Project.objects.filter(pk=project.pk, cwd="").update(cwd=cwd)
        self._written.add("source", 1)
        return True

    def _mark_vanished(self, sources: Iterable[Source]) -> None:
        ids = [source.pk for source in sources]
        Source.objects.filter(pk__in=ids).update(state=Source.State.VANISHED)
        self._written.add("source", len(ids))

    def _create(self, plan: Plan, candidates: Sequence[Candidate]) -> None:
        accepted = []
        for candidate in candidates:
            try:
                if _is_trusted(candidate) or is_transcript(decode_path(candidate.path)):
                    accepted.append(candidate)
                else:
                    plan.skipped.append(candidate.path)
            except OSError as error:
                plan.failed.append(f"{candidate.path}: {error.strerror or error}")
        sources = insert(Source, SOURCE_COLUMNS, [_source_row(candidate, self._host) for candidate in accepted])
        pairs = list(zip(sources, accepted, strict=True))
        conversations = [(source, candidate) for source, candidate in pairs if candidate.role.kind != "result"]
        rows = [self._transcript_row(source, candidate) for source, candidate in conversations]
        transcripts = insert(Transcript, TRANSCRIPT_COLUMNS, rows)
        self._written.add("source", len(sources))
        self._written.add("transcript", len(transcripts))
        ids = {source: pk for (source, _), pk in zip(conversations, transcripts, strict=True)}
        for source, candidate in pairs:
            role = candidate.role
            facts = {"session_id": role.session_id, "agent_id": role.agent_id}
            agent = role.kind != "main"
            path = str(decode_path(candidate.path))
            plan.jobs.append(Job(source, ids.get(source), path, 0, candidate.size, facts, agent))

    def _transcript_row(self, source: int, candidate: Candidate) -> tuple[object, ...]:
        role = candidate.role
        name = role.session_id if role.kind == "main" else f"agent-{role.agent_id}" if role.agent_id else ""
        return (
            source,
            self._project(candidate.project).pk,
            role.kind,
            self._free_public_id(name or Path(candidate.path).stem),
            role.session_id,
            role.agent_id,
            _read_meta(decode_path(candidate.path)) if role.kind != "main" else "{}",
        )

    def _project(self, directory: str) -> Project:
        project = self._projects.get(directory)
        if project is None:
            project, _ = Project.objects.get_or_create(directory=directory)
            self._projects[directory] = project
        return project

    def _free_public_id(self, name: str) -> str:
        """An unused public id: file names are unique only within a directory."""
        name = "".join(char if char.isalnum() or char in "-_.~" else "-" for char in name)[:180]
        # A name of dots alone would be a directory in an address.
        name = name.strip(".") or "unnamed"
        if self._public_ids is None:
            self._public_ids = set(Transcript.objects.values_list("public_id", flat=True))
        public_id, number = name, 1
        while public_id in self._public_ids:
            number += 1
            public_id = f"{name}~{number}"
        self._public_ids.add(public_id)
        return public_id


def _is_trusted(candidate: Candidate) -> bool:
    """Spilled output may hold anything, and a name that only the agent uses needs no check of the content."""
    return candidate.role.kind == "result" or OWN_NAME.fullmatch(PurePath(candidate.path).name) is not None


def _continues(source: Source, candidate: Candidate) -> bool:
    """Whether the file still begins with the bytes that we have."""
    end = _comparable_bytes(source)
    if not end:
        return True
    with decode_path(candidate.path).open("rb") as file:
        if not source.tail_hash:
            # It was interrupted in the middle, so only the bytes can tell.
            return _is_equal(source, candidate.path)
        # The file may have been shorter than a whole fingerprint when its head was hashed.
        if len(head := file.read(PRINT_BYTES)) >= PRINT_BYTES <= end and print_of(head) != source.head_hash:
            return False
        if tail_print(file, end) != source.tail_hash:
            return False
    return source.owed or candidate.size != source.archived or _is_equal(source, candidate.path)


def _comparable_bytes(source: Source) -> int:
    """How much of the file can be compared with what we have."""
    return source.imported if source.owed else source.archived


def _is_equal(source: Source, path: str) -> bool:
    """Compares byte by byte, for the rare file that was touched without changing its size."""
    with decode_path(path).open("rb") as file:
        for offset in range(0, source.archived, COMPARE_STEP):
            length = min(COMPARE_STEP, source.archived - offset)
            if file.read(length) != Reader(source.pk).read(offset, length):
                return False
    return True


def _is_outgrown(source: Source, candidate: Candidate) -> bool:
    """Whether what we have begins with the whole file, which is then a copy that has fallen behind."""
    with decode_path(candidate.path).open("rb") as file:
        for offset in range(0, candidate.size, COMPARE_STEP):
            data = file.read(COMPARE_STEP)
            try:
                if data != Reader(source.pk).read(offset, min(COMPARE_STEP, candidate.size - offset)):
                    return False
            except DamageError:
                continue  # damaged blocks prove nothing; the others have to match
    return True


def _source_row(candidate: Candidate, host: str) -> tuple[object, ...]:
    kind = Source.Kind.RESULT if candidate.role.kind == "result" else Source.Kind.TRANSCRIPT
    return candidate.path, host, str(kind), candidate.device, candidate.inode, candidate.size, candidate.mtime_ns


def _make_job(source: Source, candidate: Candidate) -> Job:
    transcript = Transcript.objects.filter(source=source).first()
    if transcript is None:
        # Spilled output has no lines, so all of it is archived again.
        return Job(source.pk, None, str(decode_path(source.path)), 0, candidate.size, None, False)
    agent = transcript.kind != Transcript.Kind.MAIN
    facts, links = transcript.state.get("facts"), transcript.state.get("links")
    if facts is None:
        facts = {"session_id": transcript.session_id, "agent_id": transcript.agent_id}
    facts = {**facts, "ruler": transcript.ruler}
    path = str(decode_path(source.path))
    base = transcript.pk << POSITION_BITS
    earlier = Entry.objects.filter(pk__gte=base, pk__lte=base | POSITION_MASK, uuid_key__isnull=False)
    earlier_keys = tuple(key for key in earlier.values_list("uuid_key", flat=True) if key is not None)
    return Job(
        source.pk,
        transcript.pk,
        path,
        source.imported,
        candidate.size,
        facts,
        agent,
        links,
        earlier_keys,
        pack=not source.owed,
    )


def _read_meta(path: Path) -> str:
    """What the client noted beside a sub-agent's transcript, as JSON."""
    path = path.with_suffix(".meta.json")
    try:
        if not path.is_file():  # opening a pipe of that name would never return
            return "{}"
        with path.open("rb") as file:
            meta = orjson.loads(file.read(META_BYTES))
    except (OSError, ValueError):
        return "{}"
    return storable_json(orjson.dumps(meta).decode()) if isinstance(meta, dict) else "{}"
