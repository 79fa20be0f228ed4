"""python -m benchmarks.corpus --size M --to DIR"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from benchmarks.corpus.plan import SIZES
from benchmarks.corpus.tree import corpus_open


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.corpus", description="Write a corpus of transcripts.")
    parser.add_argument("--size", choices=sorted(SIZES), required=True)
    parser.add_argument("--to", type=Path, required=True, metavar="DIR")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    started = time.perf_counter()
    corpus = corpus_open(SIZES[options.size], options.to, seed=options.seed)
    print(
        f"{corpus.size}: {corpus.bytes / 1e6:.1f} MB, {corpus.entries} entries, {corpus.sessions} sessions, "
        f"{corpus.files} files, {len(corpus.needles)} needles, {time.perf_counter() - started:.1f} s"
    )


if __name__ == "__main__":
    main()
