"""The settings of the tests: those of Lucid, in a home of their own, which has to be known before they are read."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

_HOME = tempfile.TemporaryDirectory(prefix="lucid-tests-")
os.environ["LUCID_HOME"] = str(Path(_HOME.name) / "home")
os.environ["CLAUDE_CONFIG_DIR"] = str(Path(_HOME.name) / "no-sessions")
os.environ["LUCID_CLAUDE"] = "off"
for _name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "LUCID_MODEL", "LUCID_MONTHLY_BUDGET"):
    os.environ.pop(_name, None)
for _name in ("DATABASE_URL", "REDIS_URL", "LUCID_BIND", "LUCID_ALLOWED_HOSTS", "LUCID_LOG_LEVEL"):
    os.environ.pop(_name, None)
# `make services`: the same tests on servers instead of files.
if "TEST_DATABASE_URL" in os.environ:
    os.environ["DATABASE_URL"] = os.environ["TEST_DATABASE_URL"]
if "TEST_REDIS_URL" in os.environ:
    # Each process that runs tests has a database of its own there: what one queues is nothing to the others.
    _number = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    os.environ["REDIS_URL"] = f"{os.environ['TEST_REDIS_URL'].rpartition('/')[0]}/{_number}"

from inspector.settings import *  # noqa: E402, F403
