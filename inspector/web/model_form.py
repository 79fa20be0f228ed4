"""The common parts of forms that ask a model: the name of the model, and who receives the session."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from django.conf import settings

from inspector.agents.choosing import Choice

NAMED = "named"
"""The choice of a model that the form names."""
MODEL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@\[\]-]{0,79}")
NO_NAME = "Name a model, such as claude-sonnet-5-5: letters, digits and . _ : / @ [ ] - only."
UNFIT = 422
"""The status of a form with errors."""


def destination(choice: Choice) -> str:
    """Who receives the session when a model is asked."""
    if choice.kind == "claude":
        return "the claude command, and whoever it asks"
    host = urlsplit(settings.MODELS.base_url).hostname or settings.MODELS.base_url
    return host or "api.anthropic.com"
