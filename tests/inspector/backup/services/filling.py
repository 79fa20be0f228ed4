"""A home with something of everything in it, and what it answers."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from sessions.capture.endpoint.spool import Spool
from tests.serving import ROOT, environment, lucid
from tests.sessions.capture.capturing import exchange, message, request
from tests.sessions.writing import Writing

DEMO = ROOT / "sessions" / "demo" / "projects" / "-home-dev-tidewatch"
SESSION = "2383e656-65b1-58cf-940d-d858e8271802"
UNUSUAL = "77777777-0000-4000-8000-000000000000"
SEVERAL = """
import contextlib, io, json, sys
from inspector.cli import run
said = []
for command in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        status = run(command)
    if status:
        sys.exit(f"lucid {' '.join(command)}: {status} {out.getvalue()}")
    said.append(out.getvalue())
print(json.dumps(said))
"""


def run(home: Path, *arguments: str, **extra: str) -> Any:
    result = lucid(home, *arguments, "--json", **extra)
    assert result.returncode == 0, f"lucid {' '.join(arguments)}: {result.stderr}"
    return json.loads(result.stdout)


def memory_of(folder: Path) -> Path:
    return folder / "config" / "projects" / DEMO.name / "memory"


def filled(folder: Path, home: Path, **extra: str) -> None:
    """Afterwards the transcripts are gone: all that is left of them is in the archive."""
    project = shutil.copytree(DEMO, folder / "config" / "projects" / DEMO.name, dirs_exist_ok=True)
    unusual = Writing(session=UNUSUAL)
    unusual.user("Waves \U0001f30a")
    unusual.assistant("The tide \x1b[31mturns\x1b[0m.")
    unusual.user("a\0b")
    unusual.save(project)
    spool = Spool(home / "captures")
    spool.write(exchange(request({"role": "user", "content": "a\0b"}), message("msg_stored")))
    several(
        home,
        ["import", str(folder / "config")],
        ["memory", "history", str(memory_of(folder))],
        ["compact", SESSION, "--kind", "full", "--model", "mechanical"],
        ["capture", "list"],
        **extra,
    )
    spool.write(exchange(request({"role": "user", "content": "later"}), message("msg_waiting")))
    (home / "notes" / SESSION).mkdir(parents=True)
    (home / "notes" / SESSION / "summary.md").write_text("# Notes\n")
    for path in project.iterdir():
        if path.name != "memory":
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def answers(folder: Path, home: Path, **extra: str) -> dict[str, Any]:
    """What commands say, free of what differs between two runs of the same command."""
    place = home.with_name(f"{home.name}-exported")
    commands = [
        ["check"],
        ["export", "1", "--to", str(place)],
        ["sessions"],
        ["context", SESSION, "--digest"],
        ["context", UNUSUAL, "--digest"],
        ["search", "tide"],
        ["memory", "history", str(memory_of(folder))],
        ["capture", "list"],
        ["capture", "show", "msg_stored"],
    ]
    check, exported, *text = several(home, *commands, **extra)
    assert (check["damaged"], check["damage"]) == (0, [])
    records = [json.loads(line) for line in Path(exported["path"]).read_bytes().splitlines()]
    return {
        **{" ".join(command): words for command, words in zip(commands[2:], text, strict=True)},
        "session made of the compaction": [exported["session_id"], *(record.get("message") for record in records)],
        "checked": [check["files"], check["checked_bytes"]],
        "notes": (home / "notes" / SESSION / "summary.md").read_text(),
        "key": (home / "secret.key").read_text(),
    }


def several(home: Path, *commands: list[str], **extra: str) -> list[Any]:
    """What each says with `--json`, in one process: to start one takes longer than most of them."""
    result = subprocess.run(
        [sys.executable, "-c", SEVERAL, json.dumps([[*command, "--json"] for command in commands])],
        cwd=ROOT,
        env=environment(home, **extra),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return [json.loads(text) for text in json.loads(result.stdout)]


def differences(data: Any, other: Any, place: str = "") -> list[str]:
    """Where two answers differ, and how."""
    if isinstance(data, float) and isinstance(other, float) and abs(data - other) < 1e-9:
        return []  # databases add up in an order of their own
    if isinstance(data, dict) and isinstance(other, dict) and data.keys() == other.keys():
        return [words for name in data for words in differences(data[name], other[name], f"{place}/{name}")]
    if isinstance(data, list) and isinstance(other, list) and len(data) == len(other):
        pairs = enumerate(zip(data, other, strict=True))
        return [words for number, (a, b) in pairs for words in differences(a, b, f"{place}/{number}")]
    return [] if data == other else [f"{place}: {data!r:.300} became {other!r:.300}"]
