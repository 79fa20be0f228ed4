"""Text, rendered once as the inside of JSON strings and then cut and joined: composing a record costs microseconds."""

from __future__ import annotations

import base64
from collections import Counter
from dataclasses import dataclass
from random import Random

from benchmarks.corpus.words import Vocabulary, vocabulary_make

PHRASES = 1500
SENTENCES = 30_000
CODE_LINES = 60_000
LOG_LINES = 40_000
MODULE = 300
RUN = 40
NOISE_BYTES = 3_000_000
BREAK = b"\\n"
TAGS = ("- ", "1. ", "## ", "**Note:** ", "> ")


@dataclass(frozen=True, slots=True)
class Pools:
    vocabulary: Vocabulary
    sentences: list[bytes]
    code: list[bytes]
    logs: list[bytes]
    noise: bytes
    words: dict[str, str]
    """Words to search for, by how common they are in prose."""

    def prose(self, rng: Random, size: int) -> bytes:
        """Sentences of about `size` bytes in all, with names that stand nowhere else in the corpus."""
        pieces = rng.choices(self.sentences, k=max(1, size // 82))
        for place in range(rng.randrange(5), len(pieces), 8):
            pieces[place] = self.mention(rng)
        return b"".join(pieces).removesuffix(BREAK)

    def mention(self, rng: Random) -> bytes:
        name, other = rng.choices(self.vocabulary.identifiers, k=2)
        return f"See `{name}_{other}` ({rng.getrandbits(28):07x}), line {rng.randrange(2000)}. ".encode()

    def base64(self, rng: Random, size: int) -> bytes:
        start = rng.randrange(len(self.noise) - size)
        return self.noise[start : start + size]

    def output(self, rng: Random, size: int) -> bytes:
        """What a command prints: neighbouring lines of a log, with numbers that are new each time."""
        pieces: list[bytes] = []
        left = size
        while left > 0:
            start = rng.randrange(LOG_LINES - 40)
            run = self.logs[start : start + min(40, left // 70 + 1)]
            run[-1] = b"%07x %d.%03d " % (rng.getrandbits(28), rng.randrange(900), rng.randrange(1000)) + run[-1]
            pieces += run
            left -= 70 * len(run)
        return BREAK.join(pieces)


def pools_make(seed: int) -> Pools:
    rng = Random(f"pools {seed}")
    vocabulary = vocabulary_make(rng)
    phrases = [" ".join(vocabulary.draw(rng, rng.randrange(2, 5))) for _ in range(PHRASES)]
    sentences = [_sentence(rng, vocabulary, phrases) for _ in range(SENTENCES)]
    noise = base64.b64encode(rng.randbytes(NOISE_BYTES))
    code = [line for _ in range(CODE_LINES // MODULE) for line in _module(rng, vocabulary)]
    logs = [line for _ in range(LOG_LINES // RUN) for line in _log(rng, vocabulary)]
    return Pools(vocabulary, sentences, code, logs, noise, _searched_words(sentences))


def _sentence(rng: Random, vocabulary: Vocabulary, phrases: list[str]) -> bytes:
    words = vocabulary.draw(rng, rng.randrange(3, 12))
    parts = words + rng.choices(phrases, k=rng.randrange(1, 4))
    rng.shuffle(parts)
    text = " ".join(parts).capitalize() + rng.choice((". ", ". ", ". ", ": ", "? "))
    roll = rng.random()
    if roll < 0.12:
        return (text.rstrip() + "\\n\\n").encode()
    if roll < 0.24:
        return ("\\n" + rng.choice(TAGS) + text.rstrip() + "\\n").encode()
    if roll < 0.27:
        return ('He said \\"' + text.rstrip() + '\\" – naïve, but 確認 it. ').encode()
    return text.encode()


def _module(rng: Random, vocabulary: Vocabulary) -> list[bytes]:
    """Neighbouring lines of code speak of the same few names: that is what makes code compress well."""
    names = rng.choices(vocabulary.identifiers, k=16)
    words = vocabulary.draw(rng, 24)
    return [_code_line(rng, vocabulary, names, words) for _ in range(MODULE)]


def _code_line(rng: Random, vocabulary: Vocabulary, names: list[str], words: list[str]) -> bytes:
    first, two, three = rng.choices(names, k=3)
    word, other = rng.choices(words, k=2)
    line = rng.choice(
        (
            f'def {first}(self, {word}: int, {other}: str = \\"{other}\\") -> None:',
            f"{first} = self.{two}({word}, {other}={rng.randrange(100)})",
            f"if {first} is None or not {word}:",
            f'return {first}[{word}] + {two}.{other}(\\"{word} {other}\\")',
            f"for {word} in {first}.{two}():",
            f"# {' '.join(vocabulary.draw(rng, 9))}",
            f'raise ValueError(f\\"{word} {{{other}}} {first}\\")',
            f"from {word}.{other} import {first}, {two}",
            f"assert {first}({two}) == {rng.randrange(10_000)}, {three}",
            "",
        )
    )
    return (" " * rng.choice((0, 4, 4, 8, 8, 12)) + line).encode() if line else b""


def _log(rng: Random, vocabulary: Vocabulary) -> list[bytes]:
    names = rng.choices(vocabulary.identifiers, k=4)
    phrases = [" ".join(vocabulary.draw(rng, rng.randrange(3, 9))) for _ in range(7)]
    shape, hour = rng.randrange(6), f"{rng.randrange(24):02}:{rng.randrange(60):02}"
    return [_log_line(rng, rng.choice(names), rng.choice(phrases), shape, hour) for _ in range(RUN)]


def _log_line(rng: Random, name: str, words: str, shape: int, hour: str) -> bytes:
    word = words.split()[0]
    return (
        f"2026-03-14T{hour}:{rng.randrange(60):02}Z INFO {name}: {words}",
        f"tests/{name}.py::test_{word}[{rng.randrange(100)}] PASSED",
        f"src/{name}/{word}.ts:{rng.randrange(900)}:  {words}",
        f"-rw-r--r-- 1 dev dev {rng.randrange(90_000):6} Mar 14 {hour} {name}.py",
        f"\\u001b[32m✓\\u001b[39m {words} ({rng.randrange(400)} ms)",
        f"\\tat {name} ({word}.js:{rng.randrange(900)}:{rng.randrange(80)})",
    )[shape].encode()


def _searched_words(sentences: list[bytes]) -> dict[str, str]:
    counts = Counter(word for sentence in sentences for word in set(sentence.decode().split()))
    plain = sorted(
        (count, word) for word, count in counts.items() if word.isascii() and word.islower() and len(word) > 4
    )
    medium = min(plain, key=lambda pair: abs(pair[0] - len(sentences) // 300))
    common = max(plain)
    return {"medium": medium[1], "common": common[1]}
