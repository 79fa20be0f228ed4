from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.measure import CommandError, command_run, tree_bytes

CHILD = "import time; block = bytearray(80_000_000); time.sleep(0.5)"


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_memory_of_a_child_process_is_counted() -> None:
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {CHILD!r}])"
    assert command_run([sys.executable, "-c", program]).peak_mb > 80


def test_the_first_awaited_output_is_timed_apart_from_the_whole() -> None:
    program = "import sys, time; print('{', flush=True); time.sleep(0.4); print('}')"
    ran = command_run([sys.executable, "-c", program], awaited=b"{")
    assert ran.output.split() == [b"{", b"}"]
    assert ran.first_seconds is not None
    assert ran.seconds - ran.first_seconds > 0.3


def test_a_failed_command_is_reported_with_its_last_words() -> None:
    with pytest.raises(CommandError, match="exit 3: out of ink"):
        command_run([sys.executable, "-c", "import sys; print('out of ink', file=sys.stderr); sys.exit(3)"])


def test_the_size_of_a_tree_counts_files_at_every_depth(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a").write_bytes(b"123")
    (tmp_path / "b").write_bytes(b"45")
    assert tree_bytes(tmp_path) == 5
