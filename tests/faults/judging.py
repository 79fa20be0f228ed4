"""What became of an attempt: was the person told, does the next start work, and is everything there?"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.faults.fingerprint import fingerprint
from tests.faults.scenarios import Scenario
from tests.faults.shim import NO_FAULT, Fault, Mode
from tests.faults.states import States
from tests.faults.warm import Ended, Place

Stored = dict[str, Any]
ARCHIVE = ("entries", "turns", "requests", "marks", "totals", "bytes", "blocks", "found")
EMPTY = ("running", "queued", "begun", "bad_versions", "exports_missing")
KILLED = -9
NOTHING = "Nothing was changed"
OF_NO_ACCOUNT = re.compile(r"\.restoring-|\.lock$|\.part$|^home/workers/|^home/before-restore-")
"""What a disk that fails on and on keeps from being removed. What was moved aside is missing in its place."""


@dataclass(frozen=True, slots=True)
class Calm:
    """The same without any fault."""

    calls: int
    mark: str | None
    """Of what there was before."""
    before: Stored
    after: Stored


@dataclass(frozen=True, slots=True)
class Finding:
    scenario: str
    fault: Fault
    what: str
    """The call that failed."""
    sentence: str

    def __str__(self) -> str:
        return f"{self.scenario}: {self.fault} ({self.what}): {self.sentence}"


def calm(states: States, scenario: Scenario) -> Calm:
    warm = states.warm
    states.put_back(scenario.begin)
    before: Stored = _next_start(states, scenario).document
    states.put_back(scenario.begin)
    mark = None if states.server else fingerprint(warm.place, without=OF_NO_ACCOUNT)
    result = warm.do(scenario.work, scenario.arguments(warm))
    assert result.status == 0, f"{scenario.name} fails without any fault: {result.output}"
    after: Stored = _next_start(states, scenario).document
    # What a second try leaves behind, such as the log of a retry, is nothing that the fault left.
    return Calm(result.seen.calls, mark, before, after)


@dataclass(frozen=True, slots=True)
class Sequel:
    """What followed an attempt: the next start, and, if it was not done, the same once more."""

    wrong: tuple[str, ...]
    is_done: bool = True
    temporaries: tuple[str, ...] = ()


@dataclass(slots=True)
class Sequels:
    """Those of one scenario, by what the attempt left behind."""

    known: dict[str, Sequel] = field(default_factory=dict)
    played: int = 0

    def after(self, states: States, scenario: Scenario, calm: Calm) -> Sequel:
        mark = fingerprint(states.warm.place)
        if mark is not None and mark in self.known:
            return self.known[mark]
        self.played += 1
        sequel = _sequel(states, scenario, calm)
        if mark is not None:
            self.known[mark] = sequel
        return sequel


def attempt(
    states: States, scenario: Scenario, calm: Calm, fault: Fault, *, clock: int = 0, sequels: Sequels | None = None
) -> tuple[Ended, list[Finding]]:
    """One fault, and what follows. `clock`: by how many seconds it is wrong during the fault alone. `sequels`: what
    followed an attempt that left the same is not played again."""
    warm = states.warm
    states.put_back(scenario.begin)
    arguments = scenario.arguments(warm)
    warm.clock = clock
    ended = warm.do(scenario.work, arguments, fault=fault)
    warm.clock = 0
    claimed = _untrue(ended, calm, warm.place) if NOTHING in ended.output else []
    sequel = sequels.after(states, scenario, calm) if sequels else _sequel(states, scenario, calm)
    wrong = [*_sentences(ended, fault), *claimed, *sequel.wrong, *_temporaries(sequel, ended, fault)]
    if ended.status == 0 and not sequel.is_done and "could not be accepted" not in ended.output:
        wrong.append("it said that it was done, and it was not")
    return ended, [Finding(scenario.name, fault, ended.seen.what, sentence) for sentence in wrong]


def _sequel(states: States, scenario: Scenario, calm: Calm) -> Sequel:
    start = _next_start(states, scenario)
    if start.status != 0:
        return Sequel((f"the next start fails: {_end(start.output)}",))
    stored: Stored = start.document
    wrong = _whole(stored, calm, states.warm.place)
    result = _is_done(stored, scenario, calm)
    if not result:
        wrong += _again(states, scenario, calm)
    return Sequel(tuple(wrong), result, tuple(stored["temporaries"]))


def _next_start(states: States, scenario: Scenario) -> Ended:
    return states.warm.do("next_start", {"repair": scenario.repairs})


def _again(states: States, scenario: Scenario, calm: Calm) -> list[str]:
    retry = states.warm.do(scenario.work, scenario.arguments(states.warm), fault=NO_FAULT)
    if retry.status != 0:
        return [f"it cannot be done afterwards: {_end(retry.output)}"]
    stored: Stored = _next_start(states, scenario).document
    wrong = _whole(stored, calm, states.warm.place)
    return wrong if _is_done(stored, scenario, calm) else [*wrong, "done once more, it is still not done"]


def _untrue(ended: Ended, calm: Calm, place: Place) -> list[str]:
    changed = fingerprint(place, without=OF_NO_ACCOUNT) != calm.mark
    return [f"something was changed: {_end(ended.output)}"] if changed else []


def _sentences(ended: Ended, fault: Fault) -> list[str]:
    """One sentence, and no traceback."""
    if ended.status is None:
        return ["it did not end"]
    if ended.stayed:
        return ["it left processes behind"]
    if "Traceback (most recent call last)" in ended.output:
        return [f"a traceback: {_end(ended.output)}"]
    if fault.mode is Mode.KILL:
        return [] if ended.status in (0, KILLED) else [f"it ended with {ended.status}: {_end(ended.output)}"]
    if ended.status not in (0, 1):
        return [f"it ended with {ended.status}: {_end(ended.output)}"]
    return [] if ended.status == 0 or _is_sentence(ended.output) else [f"no sentence: {_end(ended.output)}"]


def _is_sentence(output: str) -> bool:
    lines = output.strip().splitlines()
    if any(line.startswith("lucid: ") for line in lines):
        return not any("failed unexpectedly" in line for line in lines)
    try:
        answer = json.loads(lines[-1])
    except (ValueError, IndexError):
        return False
    return answer.get("status") not in (None, 500) and bool(answer.get("words"))


def _whole(stored: Stored, calm: Calm, place: Place) -> list[str]:
    wrong = [f"{stored[key]} {key}" for key in EMPTY if stored[key]]
    wrong += [f"{key} differ from those of a calm run" for key in ARCHIVE if stored[key] != calm.after[key]]
    for path, digest in stored["bytes"].items():
        if path.startswith(str(place.config)) and sha256(Path(path).read_bytes()).hexdigest() != digest:
            wrong.append(f"{path} is not archived as it is")
    if stored["memory"] not in (calm.before["memory"], calm.after["memory"]):
        wrong.append(f"memory is neither before nor after: {sorted(stored['memory'])}")
    if any(text.strip() for text in stored["lock"]):
        wrong.append(f"the lock of a dream is still held: {stored['lock']}")
    left = {name for name in stored["home"] if not ALLOWED.match(name)} - {*calm.before["home"], *calm.after["home"]}
    if left:
        wrong.append(f"left behind: {sorted(left)}")
    return wrong


ALLOWED = re.compile(
    r"logs/|(before-restore-[^/]*/)?lucid\.sqlite#-|[\w-]+\.lock$|workers/#-#$|backups/[^/]+\.sqlite#$|(.*/)?\.[^/]*\.draft$|captures/#-#\.part$|working/|entry/#$"
    r"|queue/messages/[^/]*\.unfinished$|(\.lucid\.sqlite#)?\.restoring-"
)
"""Names that depend on who came first or was the last to leave, and what is swept when it is old: drafts and
messages that were not finished after an hour, tokens that let nobody in after twelve, folders that somebody worked in
after a day, and what a restore built when the next one begins."""


def _temporaries(sequel: Sequel, ended: Ended, fault: Fault) -> list[str]:
    """Beside memory. Where not even that could be removed, a later scan does it."""
    excused = fault.mode is Mode.ON or ended.seen.what.startswith("unlink")
    return [f"left beside memory: {list(sequel.temporaries)}"] if sequel.temporaries and not excused else []


def _is_done(stored: Stored, scenario: Scenario, calm: Calm) -> bool:
    if scenario.counted:
        return bool(stored[scenario.counted] > calm.before[scenario.counted])
    return bool(stored["memory"] == calm.after["memory"])


def _end(output: str) -> str:
    return re.sub(r"\s+", " ", output.strip())[-700:]
