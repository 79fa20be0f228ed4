"""The settings of people who have a model to ask, and of those who have none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from django.test import override_settings

from inspector.agents.choosing import ModelSettings
from tests.inspector.agents.server import MessagesServer, messages_server
from tests.sessions.writing import MODEL

SMALL = "claude-haiku-5-5"
NOBODY = ModelSettings(main=MODEL, small=SMALL, claude="off", first_pause=0.001, idle_timeout=60)


def models(server: MessagesServer) -> ModelSettings:
    return replace(NOBODY, api_key=server.key, base_url=server.url)


@contextmanager
def asking() -> Iterator[MessagesServer]:
    with messages_server() as server, override_settings(MODELS=models(server)):
        yield server
