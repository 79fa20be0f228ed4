"""Starts dreams on schedule: one directory after the other, if all gates are open."""

from __future__ import annotations

from django.conf import settings

from inspector.agents.choosing import choice_of
from inspector.runs.models import Run
from inspector.runs.services import RunError
from inspector.structured import get_logger
from inspector.web.clock import now_ms
from memory.dreams.engine.gates import Gate, enabled_gate, lock_gate, scan_gate, sessions_gate, time_gate
from memory.dreams.selectors.gates import LockUnreadableError, directory_path, read_lock, sessions_since
from memory.dreams.services.dream_lock import dreams_clean_up
from memory.dreams.services.runs import dream_create
from memory.files.selectors.directories import visible_directories
from memory.models import Directory, DreamScan

logger = get_logger(__name__)


def dreams_start() -> list[Run]:
    """Queues a dream for each directory whose gates are all open; without a model, a tidy."""
    if not enabled_gate(enabled=settings.LUCID_DREAMS).open:
        return []
    dreams_clean_up()
    choice = choice_of(settings.MODELS)
    model = choice.main if choice.kind == "anthropic" else ""
    runs: list[Run] = []
    for directory in visible_directories():
        if not directory_path(directory).is_dir():
            continue
        try:
            gate = _find_closed_gate(directory)
            if gate is None:
                runs.append(dream_create(directory=directory, model=model))
            else:
                logger.debug("dream_not_due", directory=directory.path, gate=gate.name, why=gate.why)
        except (LockUnreadableError, RunError) as error:
            logger.warning("dream_not_started", directory=directory.path, error=str(error))
    return runs


def _find_closed_gate(directory: Directory) -> Gate | None:
    """The first closed gate; later ones are not checked. Sessions are counted only if all gates before are open."""
    now = now_ms()
    lock = read_lock(directory)
    scanned = DreamScan.objects.filter(directory=directory).values_list("at", flat=True).first()
    for gate in (time_gate(lock=lock, now_ms=now), scan_gate(scanned_ms=scanned, now_ms=now)):
        if not gate.open:
            return gate
    DreamScan.objects.update_or_create(directory=directory, defaults={"at": now})
    for gate in (
        sessions_gate(sessions=len(sessions_since(directory, lock)), lock=lock),
        lock_gate(lock=lock, now_ms=now),
    ):
        if not gate.open:
            return gate
    return None
