"""Which habits a recording proves: each is tried with every other value that a version has, and what is exact then is
counted. A change between two versions lies where the better value changes.

python -m tests.truth.trial build/truth/runs/2.1.150 ...       every scenario of a version that was played
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sessions.context.engine import habits
from sessions.context.engine.client_versions import behaviour_of
from tests.truth.wire import FILE

_ALWAYS = "999.0.0"


class Trial(NamedTuple):
    habit: str
    value: Any
    exact: int
    """Conversations, with this value."""


def other_values(version: str) -> Iterator[tuple[str, Any]]:
    newest, own = behaviour_of(_ALWAYS), behaviour_of(version)
    known: dict[str, list[Any]] = {}
    for habit in habits.HABITS:
        known.setdefault(habit.name, [getattr(newest, habit.name)]).append(habit.value)
    for name, values in known.items():
        yield from ((name, value) for value in dict.fromkeys(values) if value != getattr(own, name))


@contextmanager
def supposed(name: str, value: Any) -> Iterator[None]:
    """As if all versions had this habit."""
    real = habits.HABITS
    habits.HABITS = (habits.Habit(name, value, _ALWAYS, _ALWAYS, "trial"), *real)
    behaviour_of.cache_clear()
    try:
        yield
    finally:
        habits.HABITS = real
        behaviour_of.cache_clear()


def trials(run: Path, version: str) -> tuple[int, int, list[Trial]]:
    """The requests of a recording that is imported, those that are exact, and every trial that makes a difference."""
    from tests.truth.judging import judge  # what it needs is set up by then

    def count() -> tuple[int, int]:
        verdicts = judge(run, version).verdicts
        return len(verdicts), sum(verdict.conversation for verdict in verdicts)

    requests, exact = count()
    different = []
    for name, value in other_values(version):
        with supposed(name, value):
            _, then = count()
        if then != exact:
            different.append(Trial(name, value, then))
    return requests, exact, different


def main(folders: list[str]) -> None:
    from inspector.startup.database import ensure_database
    from tests.truth import lucid

    ensure_database(print)
    for run in (path.parent for folder in folders for path in sorted(Path(folder).glob(f"*/{FILE}"))):
        lucid.ask("import", str(run / "projects"))
        requests, exact, different = trials(run, run.parent.name)
        print(f"{run.parent.name} {run.name}: {exact} of {requests}")
        for trial in different:
            print(f"    {trial.exact} with {trial.habit} = {str(trial.value)[:60]!r}")


if __name__ == "__main__":
    import tempfile

    os.environ["DJANGO_SETTINGS_MODULE"] = "inspector.settings"
    os.environ["LUCID_CLAUDE"] = "off"
    with tempfile.TemporaryDirectory() as home:
        os.environ["LUCID_HOME"] = home
        import django

        django.setup()
        main(sys.argv[1:])
