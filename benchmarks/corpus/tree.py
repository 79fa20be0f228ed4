"""Writes a corpus as a config directory, with what is in it: `corpus.json` and `needles.json` beside `projects/`."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.corpus.needles import RARE, Needle
from benchmarks.corpus.plan import SessionPlan, Size, sessions_plan
from benchmarks.corpus.pools import pools_make
from benchmarks.corpus.records import quoted
from benchmarks.corpus.session import Session, session_make

SAMPLES = 9
GENERATION = 4
"""Raised when the same seed gives other bytes than before, so that cached trees are made anew."""


@dataclass(frozen=True, slots=True)
class Planted:
    place: str
    text: str
    session: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Corpus:
    directory: Path
    size: str
    seed: int
    generation: int
    files: int
    bytes: int
    entries: int
    sessions: int
    largest: str
    """The session id of the largest session; it has `lines` lines."""
    lines: int
    uuids: list[str]
    """Of chained records of the largest session, evenly spaced from the first to the last."""
    words: dict[str, str]
    needles: list[Planted]

    @property
    def projects(self) -> Path:
        return self.directory / "projects"

    def transcripts(self) -> list[Path]:
        return sorted(self.projects.rglob("*.jsonl"))


def corpus_open(size: Size, directory: Path, *, seed: int = 1) -> Corpus:
    """The corpus in `directory`, made now when it is not there yet or is not the one asked for."""
    stored = directory / "corpus.json"
    if stored.exists():
        facts = json.loads(stored.read_bytes())
        if (facts["size"], facts["seed"], facts["generation"]) == (size.name, seed, GENERATION):
            needles = [Planted(**needle) for needle in json.loads((directory / "needles.json").read_bytes())]
            return Corpus(directory=directory, needles=needles, **facts)
    return corpus_write(size, directory, seed=seed)


def corpus_write(size: Size, directory: Path, *, seed: int) -> Corpus:
    shutil.rmtree(directory / "projects", ignore_errors=True)
    (directory / "corpus.json").unlink(missing_ok=True)
    pools = pools_make(seed)
    plans = sessions_plan(size, seed)
    largest = max(plans, key=lambda plan: plan.size)
    files = total = entries = 0
    uuids: list[str] = []
    lines = 0
    needles: list[Planted] = []
    for plan in plans:
        session = session_make(plan, pools, seed)
        written = _session_write(session, directory)
        files += len(written)
        total += sum(map(len, written.values()))
        entries += sum(text.count(b"\n") for name, text in written.items() if name.endswith(".jsonl"))
        needles += [_find(needle, plan, written) for needle in plan.needles]
        if plan is largest:
            uuids, lines = _uuids(session), len(session.main.scribe.lines)
    corpus = Corpus(
        directory,
        size.name,
        seed,
        GENERATION,
        files,
        total,
        entries,
        len(plans),
        largest.session_id,
        lines,
        uuids,
        {"rare": RARE.text, **pools.words},
        needles,
    )
    _facts_write(corpus)
    return corpus


def _session_write(session: Session, directory: Path) -> dict[str, bytes]:
    base = f"projects/{session.plan.project}/{session.plan.session_id}"
    written = {f"{base}.jsonl": b"".join(session.main.scribe.lines)}
    written |= {f"{base}/{name}": text for name, text in session.files.items()}
    for name, text in written.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    return written


def _find(needle: Needle, plan: SessionPlan, written: dict[str, bytes]) -> Planted:
    for name, text in written.items():
        place = text.find(quoted(needle.text) if name.endswith(".jsonl") else needle.text.encode())
        if place >= 0:
            return Planted(needle.place, needle.text, plan.session_id, name, text.count(b"\n", 0, place))
    raise LookupError(f"the needle of {needle.place} was not written")


def _uuids(session: Session) -> list[str]:
    chained = [line for line in session.main.scribe.lines if line.startswith(b'{"parentUuid"')]
    return [json.loads(chained[place])["uuid"] for place in _places(len(chained))]


def _places(count: int) -> list[int]:
    return [step * (count - 1) // (SAMPLES - 1) for step in range(SAMPLES)]


def _facts_write(corpus: Corpus) -> None:
    facts = {name: value for name, value in asdict(corpus).items() if name not in ("directory", "needles")}
    needles = [asdict(needle) for needle in corpus.needles]
    (corpus.directory / "needles.json").write_text(json.dumps(needles, indent=1, ensure_ascii=False) + "\n")
    (corpus.directory / "corpus.json").write_text(json.dumps(facts, indent=1) + "\n")
