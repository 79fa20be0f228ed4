"""python -m benchmarks.load: a hundred readers beside an import, then clients that mean harm; prints one table."""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.load.clients import Answers, ask_all
from benchmarks.load.history import History, history_make
from benchmarks.load.limit import limit_measure
from benchmarks.load.rude import (
    Attack,
    attacked,
    foreign_body,
    foreign_capture,
    half_headers,
    silence,
    slow_body,
    slow_capture,
)
from benchmarks.load.table import Line, load_table
from benchmarks.load.web import Held, Watch, Web, web
from benchmarks.ours.home import ROOT
from benchmarks.report import machine_look

DATA = Path(os.environ.get("LUCID_BENCH_DATA", Path(__file__).resolve().parents[1] / "data"))
SETTLE_SECONDS = 40.0
"""What the web processes hold is looked at for so long after the last request; what they hold then counts."""
MEANT = {
    "half-sent headers": half_headers,
    "silent connections": silence,
    "slow bodies": slow_body,
    "slow bodies to /capture/": slow_capture,
    "400 MB to a foreign host": foreign_body,
    "400 MB to a foreign host, /capture/": foreign_capture,
}
FLOODS = 4
"""Of the last two at once."""


@dataclass(frozen=True, slots=True)
class Plan:
    size: str = "S"
    beside: str = "M"
    clients: int = 100
    seconds: float = 60.0
    attackers: int = 400
    attack_seconds: float = 25.0
    settle: float = SETTLE_SECONDS


@dataclass(slots=True)
class Load:
    plan: Plan
    lines: list[Line] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def measure(self, data: Path) -> None:
        plan = self.plan
        _say("the history")
        history = history_make(data, size=plan.size, beside=plan.beside)
        with web(history.home) as server:
            _say(f"{plan.clients} clients beside an import")
            beside = self.readers(server, history)
            _say("the limit of the machine")
            size = beside.bytes // max(1, len(beside.taken))
            limit = asyncio.run(limit_measure(clients=plan.clients, seconds=plan.seconds / 6, size=size))
            self.lines = [
                Line("a page that costs nothing", limit),
                *(Line(line.what, line.answers, line.held, limit.rate) for line in self.lines),
            ]
            for what, attack in MEANT.items():
                _say(what)
                self.attack(server, what, attack)

    def readers(self, server: Web, history: History) -> Answers:
        pages = history.pages
        # Templates are compiled and modules loaded by the first who asks.
        asyncio.run(ask_all(server.port, pages, clients=1, seconds=self.plan.seconds / 10, cookie=server.cookie))
        before, cpu, watch = server.held(), server.cpu_seconds(), Watch(server)
        watch.start()
        importing = _import(history)
        result = asyncio.run(
            ask_all(server.port, pages, clients=self.plan.clients, seconds=self.plan.seconds, cookie=server.cookie)
        )
        cpu = server.cpu_seconds() - cpu
        ended = importing.poll()
        importing.wait()
        most, after = watch.stop(), _settled(server, self.plan.settle)
        what = f"{self.plan.clients} clients, {result.seconds:.0f} s, beside an import"
        self.lines.append(Line(what, result, (before, most, after)))
        self.notes += [
            f"The import of {self.plan.beside} {'went on to the end' if ended is None else 'ended before the load did'}"
            f" (exit {importing.returncode}).",
            f"Processor time of the web processes: {1000 * cpu / max(1, result.requests):.1f} ms a request; "
            f"at most {most.processes} of them, {after.processes} after it.",
            f"The slowest answer was {result.slowest[1]}.",
            *(f"{count} times {error}." for error, count in result.errors.most_common(5)),
        ]
        return result

    def attack(self, server: Web, what: str, attack: Attack) -> None:
        floods = attack in (foreign_body, foreign_capture)
        count = min(FLOODS, self.plan.attackers) if floods else self.plan.attackers
        before, watch = server.held(), Watch(server)
        watch.start()
        outcome = asyncio.run(
            attacked(server.port, attack, count=count, seconds=self.plan.attack_seconds, cookie=server.cookie)
        )
        most, after = watch.stop(), _settled(server, self.plan.settle / 10)
        title = f"{count} × {what}" + (f" ({outcome.sent / 1e6:.0f} MB taken)" if floods else "")
        self.lines.append(Line(title, outcome.beside, (before, most, after), outcome=outcome))


def _import(history: History) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "inspector", "import", str(history.more.directory), "--json"]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=ROOT, env=history.home.env, stdin=quiet, stdout=quiet)


def _settled(server: Web, seconds: float) -> Held:
    time.sleep(seconds)
    return server.held()


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def report(load: Load) -> str:
    busy = f"Load of the machine at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores."
    today = datetime.now(UTC).date().isoformat()
    beside = "Rows below the second: requests are those of the owner, who goes on reading beside the attackers."
    return "\n".join([f"{today}, {machine_look()}", "", load_table(load.lines), "", *load.notes, beside, busy])


def main(arguments: Sequence[str] | None = None) -> None:
    plan = Plan()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--clients", type=int, default=plan.clients)
    parser.add_argument("--seconds", type=float, default=plan.seconds, help="of the readers; default: %(default)s")
    parser.add_argument("--attackers", type=int, default=plan.attackers)
    parser.add_argument("--attack-seconds", type=float, default=plan.attack_seconds)
    parser.add_argument("--settle", type=float, default=plan.settle, help="seconds until memory is looked at again")
    parser.add_argument("--size", default=plan.size, help="of the history; default: %(default)s")
    parser.add_argument("--beside", default=plan.beside, help="of what is imported meanwhile; default: %(default)s")
    load = Load(Plan(**vars(parser.parse_args(arguments))))
    load.measure(DATA)
    print(report(load))


if __name__ == "__main__":
    main()
