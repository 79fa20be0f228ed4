"""The queue of background work: on Redis when there is one, else on files in the home. No results are kept in it;
what a task does is told by its run."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging
from django_structlog.celery.receivers import CeleryReceiver
from django_structlog.celery.steps import DjangoStructLogInitStep

# The queue registers the scheme of the broker's address in the settings; the loggers are set up by the other.
from inspector import queue, structured

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "inspector.settings")

__all__ = ["app", "queue", "structured"]

app = Celery("lucid")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.steps["worker"].add(DjangoStructLogInitStep)

# Connected here and not by the app's own switch: commands that queue nothing need not load Celery.
_receiver = CeleryReceiver()
_receiver.connect_signals()


@setup_logging.connect
def _keep_our_logging(**_: Any) -> None:
    """A receiver is all it takes for Celery to leave the logging of Django's settings alone."""
