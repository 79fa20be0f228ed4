"""A seeded corpus of transcripts: the same seed gives the same bytes on every machine."""

from __future__ import annotations

from benchmarks.corpus.plan import SIZES, Size
from benchmarks.corpus.tree import Corpus, corpus_open

__all__ = ["SIZES", "Corpus", "Size", "corpus_open"]
