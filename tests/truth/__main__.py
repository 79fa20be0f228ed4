"""`make truth`: the real client in several versions, what it sent, and what Lucid says of it. One table; status 1 if
anything in it is unexplained.

python -m tests.truth                                      the versions that differ, and the latest
python -m tests.truth --clients 2.1.20 latest              others
python -m tests.truth --scenarios tools resume             some of the scenarios
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.truth.client import ClientMissingError, install, version_of
from tests.truth.report import Report, explanations, table

CLIENTS = ("2.0.76", "2.1.20", "2.1.90", "2.1.120", "2.1.160", "2.1.197", "2.1.325", "latest")
BUILD = Path(__file__).parents[2] / "build" / "truth"
AT_ONCE = 2


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.truth", description=__doc__.splitlines()[0] if __doc__ else ""
    )
    parser.add_argument("--clients", nargs="+", default=CLIENTS, metavar="VERSION")
    parser.add_argument("--scenarios", nargs="+", default=[], metavar="NAME")
    options = parser.parse_args(arguments)
    try:
        versions = list(dict.fromkeys(version_of(tag) for tag in options.clients))
        for version in versions:
            install(version)
    except ClientMissingError as error:
        print(error, file=sys.stderr)
        return 1
    with ThreadPoolExecutor(AT_ONCE) as pool:
        reports = list(pool.map(lambda version: _play(version, options.scenarios), versions))
    print(table(reports))
    print(explanations(reports))
    return int(any(report.unexplained for report in reports))


def _play(version: str, scenarios: list[str]) -> Report:
    """In a process of its own, with a home of its own."""
    path = BUILD / "reports" / f"{version}.json"
    path.unlink(missing_ok=True)
    home = BUILD / "lucid" / version
    dropped = ("LUCID_", "DATABASE_", "REDIS_", "DJANGO_", "ANTHROPIC_", "CLAUDE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    ours = {"LUCID_HOME": str(home), "LUCID_CLAUDE": "off", "CLAUDE_CONFIG_DIR": str(home / "no-sessions")}
    subprocess.run(
        [sys.executable, "-m", "tests.truth.playing", version, str(path), *scenarios], env={**kept, **ours}, check=True
    )
    return Report.load(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
