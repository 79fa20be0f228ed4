"""Imports give way to people: where there are fewer cores than work, pages come first. On an idle machine an import is
as fast as ever."""

from __future__ import annotations

import os

IMPORT = 5
"""The process of an import that writes: people may wait for what it holds, so it must not come last."""
SCAN = 10
"""Those that only read for it."""


def give_way(niceness: int) -> None:
    """This process, and those that it starts from now on. Whoever gave way further before stays there."""
    if niceness > os.getpriority(os.PRIO_PROCESS, 0):
        os.setpriority(os.PRIO_PROCESS, 0, niceness)
