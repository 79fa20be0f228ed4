"""Lowers the priority of imports, so that pages come first when all cores are busy. On an idle machine an import is as
fast as before."""

from __future__ import annotations

import os

IMPORT = 5
"""The process of an import that writes: people may wait for what it holds, so it must not come last."""
SCAN = 10
"""Those that only read for it."""


def give_way(niceness: int) -> None:
    """Lowers the priority of this process and those that it starts from now on. A lower priority stays."""
    if niceness > os.getpriority(os.PRIO_PROCESS, 0):
        os.setpriority(os.PRIO_PROCESS, 0, niceness)
