"""Fails the n-th call that writes, for every n, once and from then on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.faults.judging import Calm, attempt, calm
from tests.faults.scenarios import Scenario
from tests.faults.shim import Fault, Mode, Trouble
from tests.faults.states import States
from tests.faults.table import Row, Tell

VARIANTS = (
    (Mode.ONCE, Trouble.FULL),
    (Mode.ON, Trouble.FULL),
    (Mode.ONCE, Trouble.BROKEN),
    (Mode.ON, Trouble.BROKEN),
    (Mode.ONCE, Trouble.SHORT),
    (Mode.ON, Trouble.SHORT),
)


def faults_of(calls: int, variants: Sequence[tuple[Mode, Trouble]], most: int) -> Iterator[Fault]:
    """For every call, or, where that is more than `most`, evenly among them."""
    every = [(at, mode, trouble) for at in range(1, calls + 1) for mode, trouble in variants]
    step = max(1.0, len(every) / most) if most else 1.0
    for number in range(min(len(every), most or len(every))):
        at, mode, trouble = every[int(number * step)]
        yield Fault(at, mode, trouble)


def sweep(
    states: States,
    scenario: Scenario,
    *,
    variants: Sequence[tuple[Mode, Trouble]] = VARIANTS,
    most: int = 0,
    tell: Tell = print,
) -> Row:
    quiet: Calm = calm(states, scenario)
    row = Row("a write fails", scenario.name, states.database_name, f"{quiet.calls} calls")
    for fault in faults_of(quiet.calls, variants, most):
        ended, findings = attempt(states, scenario, quiet, fault)
        row.add(told=ended.status == 1, lost=[str(finding) for finding in findings], tell=tell)
    return row
