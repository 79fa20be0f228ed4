"""Writes the demo, its expected numbers and the table of what stands where: `python -m tests.demo.build`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.demo.story.demo import Demo, build
from tests.demo.story.guide import POINTS, TITLES, WORDS

HERE = Path(__file__).resolve().parent
TARGET = HERE.parents[1] / "sessions" / "demo"
EXPECTED = HERE / "expected.json"
README = HERE / "README.md"

_INTRO = """\
# The demo and what stands where

`sessions/demo/` is what somebody without sessions of their own sees first, and the main fixture of the tests. It is a
story, told in `tests/demo/story/`: the words, code and outputs are written by hand, the format around them is built.
All of it is invented; the project, the harbours and the numbers do not exist.

- `python -m tests.demo.build` writes `sessions/demo/`, `expected.json` and this page again; a test compares all three.
- `tests/demo/names.py` has the session ids, the named records and the expected numbers for other tests.
- Nobody typed the numbers of tokens: `tests/demo/story/accounts.py` weighs each prompt as the product does, with fixed
  rates, and a model of the prompt cache tells what of it was read and written.
- Positions count records from 0 in file order (a line with two glued objects is two records).
"""


def expected_text(demo: Demo) -> str:
    return json.dumps(demo.expected(), indent=1, ensure_ascii=False) + "\n"


def readme_text(demo: Demo) -> str:
    parts = [
        _INTRO,
        "## Files\n",
        "| name | session or agent file | records | prompts | requests | what |",
        "|---|---|---|---|---|---|",
    ]
    for session in demo.sessions:
        ledger, name = session.ledger, session.path.rsplit("/", 1)[-1].removesuffix(".jsonl")
        counts = f"{ledger.records} | {ledger.prompts} | {ledger.own.requests}"
        parts.append(f"| {session.label} | `{name}` | {counts} | {TITLES[session.label]} |")
    for session in demo.sessions:
        points = POINTS.get(session.label)
        if not points:
            continue
        parts += [f"\n## {session.label}\n", "| position | name | what | uuid |", "|---|---|---|---|"]
        rows = []
        for name, what in points.items():
            place = session.places[name]
            rows.append((place.position, f"| {place.position} | {name} | {what} | `{place.uuid or '-'}` |"))
        parts += [text for _, text in sorted(rows)]
    parts += ["\n## odd\n", "| line | what |", "|---|---|"]
    parts += [f"| {line} | {what} |" for session in demo.sessions for what, line in session.odd.items()]
    parts += ["\n## Words that stand in one place\n", "| word | session | record | where |", "|---|---|---|---|"]
    parts += [f"| {word} | {label} | {name or '-'} | {where} |" for word, (label, name, where, _) in WORDS.items()]
    return "\n".join(parts) + "\n"


def main() -> None:
    demo = build()
    shutil.rmtree(TARGET, ignore_errors=True)
    for path, data in demo.files.items():
        target = TARGET / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    EXPECTED.write_text(expected_text(demo), "utf-8")
    README.write_text(readme_text(demo), "utf-8")


if __name__ == "__main__":
    main()
