"""Single bits of the archive turn over. `lucid check` has to name each session that is hit, and repair what its source
file still has."""

from __future__ import annotations

import json
import random
import sqlite3
import tempfile
from pathlib import Path

from tests.faults.table import Row, Tell
from tests.faults.tree import write_sessions
from tests.serving import lucid

PENDING = "not tried: this Lucid has no `lucid check --repair`"


def flip_bits(*, count: int, seed: int, tell: Tell = print) -> Row:
    row = Row("a bit flips", "blocks of the archive", "SQLite")
    with tempfile.TemporaryDirectory(prefix="lucid-flips-") as folder:
        home, config = Path(folder) / "home", Path(folder) / "config"
        env = {"CLAUDE_CONFIG_DIR": str(config)}
        if "--repair" not in lucid(home, "check", "--help").stdout:
            row.note = PENDING
            return row
        write_sessions(config, turns=60)
        assert lucid(home, "import", **env).returncode == 0
        chance = random.Random(f"{seed} flips")
        for _ in range(count):
            where = flip(home, chance)
            data = json.loads(lucid(home, "check", "--json", **env).stdout or "{}")
            repaired = lucid(home, "check", "--repair", "--json", **env)
            after = lucid(home, "check", "--json", **env)
            wrong = [] if data.get("damaged") else [f"a flip in {where} was not found"]
            if after.returncode != 0:
                wrong.append(f"a flip in {where} was not repaired: {repaired.stderr[-300:]} {after.stdout[-300:]}")
            row.add(told=bool(data.get("damaged")), lost=wrong, tell=tell)
    return row


def flip(home: Path, chance: random.Random) -> str:
    database = sqlite3.connect(home / "lucid.sqlite3")
    try:
        blocks = database.execute("SELECT id, data FROM transcripts_block ORDER BY id").fetchall()
        number, data = chance.choice(blocks)
        bit = chance.randrange(8 * len(data))
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        database.execute("UPDATE transcripts_block SET data = ? WHERE id = ?", [bytes(changed), number])
        database.commit()
    finally:
        database.close()
    return f"bit {bit} of block {number}"
