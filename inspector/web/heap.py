"""Keeps a long-running process small. Pages leave rings behind that hold what they showed, Python looks for rings by
their number and not by their size, and the C library keeps what was freed: a few looks at a record of 50 MB, and the
server holds gigabytes for as long as it runs."""

from __future__ import annotations

import ctypes
import gc
import os
from pathlib import Path

GROWTH = 32 * 1024 * 1024
_PAGE = os.sysconf("SC_PAGE_SIZE")
_STATE = Path("/proc/self/statm")


class Heap:
    """What the process held when it was last tidied."""

    def __init__(self) -> None:
        gc.collect()
        gc.freeze()  # what is there now stays, and need not be looked through again
        self._kept = resident()

    def tidy(self) -> bool:
        """Gives memory back to the system, if there is much more of it than the last time."""
        if resident() < self._kept + GROWTH:
            return False
        gc.collect()
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
        self._kept = resident()
        return True


def resident() -> int:
    """Bytes; 0 where the system does not tell, and then nothing is ever tidied."""
    try:
        return int(_STATE.read_bytes().split()[1]) * _PAGE
    except OSError:
        return 0
