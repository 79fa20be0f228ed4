"""Memory directories of very different sizes: what their pages cost, and how long the linter takes."""

from __future__ import annotations

import shutil
import statistics
from pathlib import Path
from random import Random

from benchmarks.corpus.words import Vocabulary, vocabulary_make
from benchmarks.ours.home import home_make
from benchmarks.ours.pages import page_measure
from benchmarks.table import Row, at_most

FEW, MANY = 50, 5_000
SEED = 5
TYPES = ("user", "feedback", "project", "reference")


def memory_rows(data: Path, repetitions: int) -> list[Row]:
    """Both in one home, measured in turns, so that a machine that is slower for a while is so for both."""
    vocabulary = vocabulary_make(Random(SEED))
    home = home_make(data / "home-memory")
    directories = {count: memory_directory(data / "memory", count, vocabulary) for count in (FEW, MANY)}
    numbers = {}
    for number, (count, directory) in enumerate(directories.items(), 1):
        home.run("memory", "history", str(directory), "--json")
        numbers[count] = f"/memory/{number}/"
    part = f"memory of {MANY:,}"
    rows = []
    with home.server() as port:
        rounds = [[page_measure(port, numbers[count], 1) for count in (FEW, MANY)] for _ in range(repetitions)]
        few, many = (statistics.median(answer.first_ms for answer in some) for some in zip(*rounds, strict=True))
        rows.append(Row(part, "index and topics", many, "ms", many / few, f"that of {FEW}", at_most(3)))
        rows.append(Row(part, "size of the page", max(answer.size for _, answer in rounds) / 1000, "KB"))
    addresses = ["/memory/", numbers[MANY]]
    rows.append(Row(part, "most queries", max(home.inside("queries", *addresses)), "", target=at_most(7)))
    linted = home.run("memory", "lint", str(directories[MANY]), "--json")
    rows.append(Row(part, "lint, as a command", linted.seconds, "s", target=at_most(5, "s")))
    return rows


def memory_directory(data: Path, count: int, vocabulary: Vocabulary) -> Path:
    """Topics of some two hundred words, each with its line in the index."""
    path = data / f"-home-dev-{count}" / "memory"
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    rng = Random(SEED + count)
    lines = []
    for number in range(count):
        name = f"topic-{number:04}"
        about = " ".join(vocabulary.draw(rng, 8))
        facts = [" ".join(vocabulary.draw(rng, rng.randint(8, 24))) for _ in range(12)]
        why = f"**Why:** {facts[0]}.\n\n**How to apply:** {facts[1]}."
        header = f"---\nname: {name}\ndescription: {about}\ntype: {rng.choice(TYPES)}\n---\n\n"
        (path / f"{name}.md").write_text(header + "\n".join(f"- {fact}." for fact in facts[2:]) + f"\n\n{why}\n")
        lines.append(f"- [{name}]({name}.md) — {about}\n")
    (path / "MEMORY.md").write_text("".join(lines))
    return path
