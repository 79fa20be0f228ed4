"""The clock jumps: work is done, and killed, with a clock that is a year ahead or behind. The next start has the right
one."""

from __future__ import annotations

import random

from tests.faults.judging import attempt, calm
from tests.faults.scenarios import Scenario
from tests.faults.shim import NO_FAULT, Fault, Mode
from tests.faults.states import States
from tests.faults.table import Row, Tell

YEAR = 365 * 24 * 3600


def jump(states: States, scenario: Scenario, *, seed: int, tell: Tell = print) -> Row:
    quiet = calm(states, scenario)
    row = Row("the clock jumps", scenario.name, states.database_name, "a year, both ways")
    chance = random.Random(f"{seed} {scenario.name} clock")
    for clock in (YEAR, -YEAR):
        for fault in (NO_FAULT, Fault(chance.randint(quiet.calls // 2, quiet.calls), Mode.KILL)):
            ended, findings = attempt(states, scenario, quiet, fault, clock=clock)
            row.add(told=ended.status != 0, lost=[f"clock {clock:+} s: {finding}" for finding in findings], tell=tell)
    return row
