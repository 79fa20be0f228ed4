"""What a person has: a few sessions and a memory directory that a tidy would change."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tests.sessions.writing import Writing

PROJECT = "-home-dev-tidewatch"
SESSION = "00000000-0000-4000-8000-000000000000"
TOPIC = "---\nname: {name}\ndescription: {name} of the harbour\ntype: project\n---\n\n{body}\n"
POINTER = "- [Tides](tides.md) — when they come\n"
FILES = {
    "MEMORY.md": f"{POINTER}{POINTER}- [Fog](fog.md) — stay in\n",
    "tides.md": TOPIC.format(name="tides", body="Twice a day."),
    "fog.md": TOPIC.format(name="fog", body="Stay in. See [[tides]]."),
    "boat.md": TOPIC.format(name="boat", body="It is small, and on nobody's list."),
}


def write_sessions(config: Path, *, sessions: int = 3, turns: int = 8, first: int = 0, letters: int = 0) -> None:
    """`first`: the number of the first session, so that two trees may hold different ones. `letters`: of a long message
    for each turn, a sixth of it incompressible: many bytes in few messages."""
    for number in range(first, first + sessions):
        session = f"{number:08d}-0000-4000-8000-000000000000"
        writing = Writing(session=session).turns(turns)
        for turn in range(turns if letters else 0):
            words = Random(f"{number} {turn}").randbytes(letters // 12).hex(" ", 4)
            writing.user(words.ljust(letters, "~"))
        writing.save(config / "projects" / PROJECT)


def write_memory(config: Path) -> None:
    folder = config / "projects" / PROJECT / "memory"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in FILES.items():
        (folder / name).write_text(text)
