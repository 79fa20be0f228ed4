"""What docs/deployment holds is accepted by the programs that it is for."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "deployment"
UNITS = sorted([*FOLDER.glob("*.service"), *FOLDER.glob("*.target")])


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed")
    # The program that they start is not where a person would have it.
    for unit in UNITS:
        text = unit.read_text().replace("%h/lucid/.venv/bin/lucid", str(Path(sys.executable).parent / "lucid"))
        (tmp_path / unit.name).write_text(text)
    environment = {**os.environ, "SYSTEMD_UNIT_PATH": f"{tmp_path}:"}
    for unit in UNITS:
        path = tmp_path / unit.name.replace("@.", "@1.")
        result = subprocess.run(
            [program, "verify", "--man=no", str(path)], env=environment, capture_output=True, text=True, check=False
        )
        ours = [line for line in result.stderr.splitlines() if "lucid" in line]
        assert (result.returncode, ours) == (0, []), result.stderr


def test_compose_accepts_its_file() -> None:
    program = shutil.which("docker")
    if program is None or subprocess.run([program, "compose", "version"], capture_output=True, check=False).returncode:
        pytest.skip("docker compose is not installed")
    result = subprocess.run(
        [program, "compose", "-f", str(FOLDER / "compose.yaml"), "config", "--quiet"],
        env={**os.environ, "POSTGRES_PASSWORD": "secret"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr


def test_every_process_starts_a_command_that_there_is() -> None:
    started = [re.search(r"bin/lucid (.+)", unit.read_text()) for unit in UNITS if unit.suffix == ".service"]
    commands = {result[1].split()[0] for result in started if result}
    commands |= set(re.findall(r'command: \["(\w+)"', (FOLDER / "compose.yaml").read_text()))
    assert commands == {"serve", "watch", "worker"}
