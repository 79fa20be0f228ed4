"""Keeps a long-running process small. Pages leave reference cycles behind that hold their data, Python collects cycles
by number and not by size, and the C library keeps freed memory: after a few views of a record of 50 MB the server
would hold gigabytes."""

from __future__ import annotations

import ctypes
import gc
import os
from pathlib import Path

GROWTH = 32 * 1024 * 1024
_PAGE = os.sysconf("SC_PAGE_SIZE")
_STATE = Path("/proc/self/statm")


class Heap:
    """Remembers the size of the process when it was last tidied."""

    def __init__(self) -> None:
        gc.collect()
        gc.freeze()  # present objects stay, and need not be examined again
        self._kept = resident()

    def tidy(self) -> bool:
        """Returns memory to the system if the process has grown much since the last time."""
        if resident() < self._kept + GROWTH:
            return False
        gc.collect()
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
        self._kept = resident()
        return True


def resident() -> int:
    """Bytes; 0 if the system does not tell, and then nothing is ever tidied."""
    try:
        return int(_STATE.read_bytes().split()[1]) * _PAGE
    except OSError:
        return 0
