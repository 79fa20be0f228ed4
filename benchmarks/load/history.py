"""What the readers read: a generated history, one more to be imported beside them, and the pages of both."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.corpus import SIZES, Corpus, corpus_open
from benchmarks.corpus.words import vocabulary_make
from benchmarks.ours.home import Home, home_make
from benchmarks.ours.memory import memory_directory

SESSIONS = 6
TOPICS = 50
SEED = 7


@dataclass(frozen=True, slots=True)
class History:
    home: Home
    corpus: Corpus
    more: Corpus
    """Imported while the others read."""

    @property
    def pages(self) -> list[str]:
        """Every main page; those of sessions most often, as people look at them."""
        largest_last = sorted(self.corpus.projects.glob("*/*.jsonl"), key=lambda path: path.stat().st_size)
        sessions = [f"/sessions/{path.stem}/" for path in largest_last[-SESSIONS:]]
        tabs = ["", "?at=end", "context/", "cache/", "compactions/", "compact/", "agents/", "notes/"]
        words = [f"/search/?q={word}" for word in self.corpus.words.values()]
        lists = ["/", "/sessions/", "/memory/", "/memory/1/", "/memory/1/loaded/", "/runs/", "/cache/", "/dreams/"]
        others = ["/captures/", "/settings/", "/docs/", "/health/", "/runs/indicator/", "/palette/"]
        files = ["/static/css/base.css", "/static/js/lucid.js"]
        return [session + tab for session in sessions for tab in tabs] + 2 * (words + lists + others + files)


def history_make(data: Path, *, size: str, beside: str) -> History:
    corpus = corpus_open(SIZES[size], data / size)
    more = corpus_open(SIZES[beside], data / f"beside-{beside}", seed=SEED)
    home = home_make(data / "home-load")
    home.run("import", str(corpus.directory), "--json")
    vocabulary = vocabulary_make(Random(SEED))
    shutil.rmtree(data / "load-memory", ignore_errors=True)
    home.run("memory", "history", str(memory_directory(data / "load-memory", TOPICS, vocabulary)), "--json")
    return History(home, corpus, more)
