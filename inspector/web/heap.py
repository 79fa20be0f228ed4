"""Keeps a long-running process small. Pages leave reference cycles behind that hold their data, Python collects cycles
by number and not by size, and the C library keeps freed memory: after a few views of a record of 50 MB the server
would hold gigabytes."""

from __future__ import annotations

import ctypes
import gc
import os
from pathlib import Path

GROWTH = 32 * 1024 * 1024
"""What a busy process may grow by."""
QUIET_GROWTH = 2 * 1024 * 1024
"""The same, when nobody waits for it."""
_M_ARENA_MAX = -8
"""From malloc.h of the GNU C library."""
_PAGE = os.sysconf("SC_PAGE_SIZE")
_STATE = Path("/proc/self/statm")


class Heap:
    """Remembers the size of the process when it was last tidied."""

    def __init__(self) -> None:
        gc.collect()
        gc.freeze()  # present objects stay, and need not be examined again
        # Each thread would get an arena of its own, with holes of its own. Python runs one thread at a time anyway.
        _call_libc("mallopt", _M_ARENA_MAX, 1)
        self._kept = resident()

    def tidy(self, growth: int = GROWTH) -> bool:
        """Returns memory to the system if the process has grown by more than `growth` since the last time."""
        if resident() < self._kept + growth:
            return False
        gc.collect()
        _call_libc("malloc_trim", 0)
        self._kept = resident()
        return True


def resident() -> int:
    """Bytes; 0 if the system does not tell, and then nothing is ever tidied."""
    try:
        return int(_STATE.read_bytes().split()[1]) * _PAGE
    except OSError:
        return 0


def _call_libc(name: str, *arguments: int) -> None:
    """Other C libraries than that of GNU lack these functions, and go without."""
    function = getattr(ctypes.CDLL(None), name, None)
    if function is not None:
        function(*arguments)
