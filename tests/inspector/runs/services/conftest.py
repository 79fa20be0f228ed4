"""Kinds of runs that exist for one test."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings

from inspector.runs import kinds
from inspector.runs.kinds import RunKind, Work, run_kind_register
from inspector.runs.models import Run
from inspector.runs.services import local_runs
from inspector.startup.home import prepare_home
from inspector.web.clock import now_ms
from tests.queued import messages_forget

Register = Callable[..., RunKind]


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_runs, "_ending", threading.Event())
    prepare_home(settings.LUCID_HOME)
    messages_forget()


@pytest.fixture
def register() -> Iterator[Register]:
    before = dict(kinds._kinds)

    def made(work: Work, **options: Any) -> RunKind:
        kind = RunKind(name="test", title="Test", work=work, **options)
        run_kind_register(kind)
        return kind

    yield made
    kinds._kinds.clear()
    kinds._kinds.update(before)


@pytest.fixture
def queued() -> Callable[..., Run]:
    def made(**fields: Any) -> Run:
        return Run.objects.create(**{"kind": "test", "created_at": now_ms(), **fields})

    return made
