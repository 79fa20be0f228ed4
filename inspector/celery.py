"""The queue of background work: on Redis if there is one, otherwise in files in the home. It keeps no results; the run
of a task has them."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging
from django_structlog.celery.receivers import CeleryReceiver
from django_structlog.celery.steps import DjangoStructLogInitStep

# The first registers the scheme of the broker's address in the settings, the second sets up the loggers.
from inspector import queue, structured

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "inspector.settings")

__all__ = ["app", "queue", "structured"]

app = Celery("lucid")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.steps["worker"].add(DjangoStructLogInitStep)

# Connected here instead of by the app's own switch, because commands that queue nothing need not load Celery.
_receiver = CeleryReceiver()
_receiver.connect_signals()


@setup_logging.connect
def _keep_our_logging(**_: Any) -> None:
    """With any receiver, Celery leaves the logging of Django's settings alone."""
