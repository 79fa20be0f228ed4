"""The vocabulary: a few hundred common words, then invented ones and identifiers, drawn by Zipf's law.

Search and compression behave as on real text only when few words are very common and most are rare."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from random import Random

LIST = (
    "the to of a and in is it for that this with on as be are we not by from or an have at you if can will but so "
    "file test code error function line run use new all when now one let check should add which there after only read "
    "has was does value set return type need no name then more first call each make into path data also same before "
    "see fix output command build list other than default between class change key case string result them tests log "
    "where because instead two still server find time failing version state what config module import input user work "
    "would could build session token update query cache request response model field table index page view write "
    "branch commit merge release package script method object array number index buffer block byte stream thread lock "
    "queue worker retry timeout schema column row migration template render client socket handler route header body "
    "parse encode decode compress hash sort filter map reduce loop match group split join trim pad start stop open "
    "close flush load store save delete create move copy rename replace insert append remove clear reset init setup"
)
COMMON = LIST.split()
INVENTED = 26_000
IDENTIFIERS = 14_000
EXPONENT = 1.12


@dataclass(frozen=True, slots=True)
class Vocabulary:
    words: list[str]
    weights: list[float]
    identifiers: list[str]

    def draw(self, rng: Random, count: int) -> list[str]:
        return rng.choices(self.words, cum_weights=self.weights, k=count)


def vocabulary_make(rng: Random) -> Vocabulary:
    invented = list(dict.fromkeys(_invented(rng) for _ in range(INVENTED)))
    identifiers = list(dict.fromkeys(_identifier(rng, invented) for _ in range(IDENTIFIERS)))
    tail = invented + identifiers
    rng.shuffle(tail)
    words = list(dict.fromkeys([*COMMON, *tail]))
    weights = list(itertools.accumulate(1 / (rank + 3) ** EXPONENT for rank in range(len(words))))
    return Vocabulary(words, weights, identifiers)


def _invented(rng: Random) -> str:
    onsets = ("b", "br", "c", "cl", "d", "dr", "f", "g", "gr", "h", "k", "l", "m", "n", "p", "pl", "r", "s", "st", "t")
    cores = ("a", "e", "i", "o", "u", "ai", "ea", "ou")
    codas = ("", "", "n", "r", "l", "s", "t", "m", "nd", "ck", "sh")
    parts = [rng.choice(onsets) + rng.choice(cores) + rng.choice(codas) for _ in range(rng.choice((2, 2, 3, 3, 4)))]
    return "".join(parts)


def _identifier(rng: Random, invented: list[str]) -> str:
    parts = [rng.choice(COMMON[60:] if rng.random() < 0.6 else invented) for _ in range(rng.choice((2, 2, 3)))]
    if rng.random() < 0.5:
        return "_".join(parts)
    return parts[0] + "".join(part.capitalize() for part in parts[1:])
