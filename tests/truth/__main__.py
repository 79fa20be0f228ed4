"""`make truth`: the real client in several versions, what it sent, and what Lucid says of it. One table; status 1 if
anything in it is unexplained.

python -m tests.truth                                      the versions that differ, and the latest
python -m tests.truth --clients 2.1.20 latest              others
python -m tests.truth --scenarios tools resume             some of the scenarios
python -m tests.truth --at-once 1                          beside other work: one version after the other
python -m tests.truth --again                              what was played last, judged anew without the client
python -m tests.truth --again --recordings                 and recorded in the tree, without the client's own texts
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sessions.context.engine.habits import parse
from tests.truth.client import ClientMissingError, install, version_of
from tests.truth.news import news_of, played
from tests.truth.recordings import FOLDER, RECORDED
from tests.truth.report import explanations, of_version, table

CLIENTS = ("2.0.76", "2.1.20", "2.1.90", "2.1.120", "2.1.160", "2.1.197", "2.1.325", "latest")
BUILD = Path(__file__).parents[2] / "build" / "truth"
REPORTS = BUILD / "reports"
RUNS = BUILD / "runs"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.truth", description=__doc__.splitlines()[0] if __doc__ else ""
    )
    parser.add_argument("--clients", nargs="+", default=CLIENTS, metavar="VERSION")
    parser.add_argument("--scenarios", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--at-once", type=int, default=2, metavar="NUMBER")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--recordings", action="store_true")
    options = parser.parse_args(arguments)
    try:
        versions = list(dict.fromkeys(version_of(tag) for tag in options.clients))
        for version in () if options.again else versions:
            install(version)
    except ClientMissingError as error:
        print(error, file=sys.stderr)
        return 1
    with ThreadPoolExecutor(options.at_once) as pool:
        list(pool.map(lambda version: _run(version, options), versions))
    reports = [of_version(REPORTS / version, options.scenarios) for version in versions]
    print(table(reports))
    print(explanations(reports))
    news = news_of(max(versions, key=parse), played(RUNS, REPORTS, FOLDER))
    print(news or "Nothing was played with an earlier version that it could be held against.")
    return int(any(report.unexplained for report in reports))


def _run(version: str, options: argparse.Namespace) -> None:
    """In a process of its own, with a home of its own."""
    folder, home = REPORTS / version, BUILD / "lucid" / version
    if options.again:
        recorded = RECORDED.get(version, RECORDED["latest"] if version == version_of("latest") else ())
        arguments = ["--again", *(recorded if options.recordings else ())]
    else:
        arguments = options.scenarios
        for path in folder.glob("*.json"):
            if not arguments or path.stem in arguments:
                path.unlink()
    dropped = ("LUCID_", "DATABASE_", "REDIS_", "DJANGO_", "ANTHROPIC_", "CLAUDE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    ours = {"LUCID_HOME": str(home), "LUCID_CLAUDE": "off", "CLAUDE_CONFIG_DIR": str(home / "no-sessions")}
    command = [sys.executable, "-m", "tests.truth.playing", version, str(folder), *arguments]
    subprocess.run(command, env={**kept, **ours}, check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
