"""Fails the n-th call that writes, for every n, once and from then on."""

from __future__ import annotations

from collections.abc import Iterator

from tests.faults.judging import Calm, Sequels, attempt, calm
from tests.faults.scenarios import Scenario
from tests.faults.shim import Fault, Mode, Trouble
from tests.faults.states import States
from tests.faults.table import Row, Tell

ERRORS = (Trouble.FULL, Trouble.BROKEN)
TROUBLES = (*ERRORS, Trouble.SHORT)


def faults_at(number: int, *, all_troubles: bool = False) -> Iterator[Fault]:
    """Both ways to fail the call with this number, each kind of trouble in its turn. Half of a write alone is no
    failure, but something that the system may do: it comes on top."""
    if all_troubles:
        yield from (Fault(number, mode, trouble) for trouble in TROUBLES for mode in (Mode.ONCE, Mode.ON))
        return
    yield Fault(number, Mode.ONCE, ERRORS[number % len(ERRORS)])
    yield Fault(number, Mode.ON, TROUBLES[number % len(TROUBLES)])
    if number % len(TROUBLES) == 0:
        yield Fault(number, Mode.ONCE, Trouble.SHORT)


def faults_of(calls: int, *, most: int = 0, all_troubles: bool = False) -> list[Fault]:
    """For every call, or, if `most` is given and they are more, evenly among them."""
    every = [fault for number in range(1, calls + 1) for fault in faults_at(number, all_troubles=all_troubles)]
    if not most or len(every) <= most:
        return every
    return [every[number * len(every) // most] for number in range(most)]


def sweep(states: States, scenario: Scenario, *, most: int = 0, all_troubles: bool = False, tell: Tell = print) -> Row:
    quiet: Calm = calm(states, scenario)
    row = Row("a write fails", scenario.name, states.database_name)
    sequels = Sequels()
    for fault in faults_of(quiet.calls, most=most, all_troubles=all_troubles):
        ended, findings = attempt(states, scenario, quiet, fault, sequels=sequels)
        row.add(told=ended.status == 1, lost=[str(finding) for finding in findings], tell=tell)
    row.note = f"{quiet.calls} calls, {sequels.played} states"
    return row
