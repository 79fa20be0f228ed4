"""SIGKILL at random points: before a call that writes or a statement for the server, or in the middle of a write."""

from __future__ import annotations

import random

from tests.faults.judging import attempt, calm
from tests.faults.scenarios import Scenario
from tests.faults.shim import Fault, Mode, Trouble
from tests.faults.states import States
from tests.faults.table import Row, Tell

MIDDLE = 0.3
"""How many of the kills come in the middle of a write, if it is one."""


def kill(states: States, scenario: Scenario, *, count: int, seed: int, tell: Tell = print) -> Row:
    quiet = calm(states, scenario)
    row = Row("kill -9", scenario.name, states.database_name, f"{quiet.calls} points")
    chance = random.Random(f"{seed} {scenario.name} {states.database_name}")
    for _ in range(count):
        trouble = Trouble.SHORT if chance.random() < MIDDLE else Trouble.FULL
        fault = Fault(chance.randint(1, quiet.calls), Mode.KILL, trouble)
        ended, findings = attempt(states, scenario, quiet, fault)
        row.add(told=ended.status != 0, lost=[str(finding) for finding in findings], tell=tell)
    return row
