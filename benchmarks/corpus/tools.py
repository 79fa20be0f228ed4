"""Tool calls and what came back: the text for the model, and the structured twin that repeats it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from benchmarks.corpus.pools import BREAK, CODE_LINES, Pools

LARGEST = 90_000


@dataclass(frozen=True, slots=True)
class File:
    """A file of the working set: a stretch of the pool of code, so that reading it twice gives the same text."""

    path: bytes
    start: int
    lines: int

    def text(self, pools: Pools, start: int = 0, lines: int | None = None) -> list[bytes]:
        first = self.start + start
        return pools.code[
            first : self.start + self.lines if lines is None else min(first + lines, self.start + self.lines)
        ]


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    input: bytes
    content: bytes
    twin: bytes
    failed: bool = False


def file_make(rng: Random, pools: Pools, cwd: str) -> File:
    lines = min(1500, max(12, int(rng.lognormvariate(math.log(115), 0.85))))
    folder, name, stem = pools.vocabulary.draw(rng, 3)
    suffix = rng.choice(("py", "py", "ts", "tsx", "md", "go"))
    path = f"{cwd}/{rng.choice(('src', 'tests', 'lib', 'app'))}/{folder}/{name}_{stem}.{suffix}"
    return File(path.encode(), rng.randrange(CODE_LINES - lines), lines)


def result_size(rng: Random) -> int:
    return min(LARGEST, int(rng.lognormvariate(math.log(440), 1.8)))


def bash(rng: Random, pools: Pools, file: File, *, command: bytes = b"", output: bytes = b"") -> Call:
    name = rng.choice(pools.vocabulary.identifiers).encode()
    command = command or rng.choice(
        (
            b"cd %b && python -m pytest -x -q -k %b 2>&1 | tail -40" % (file.path.rsplit(b"/", 2)[0], name),
            b'rg -n \\"%b\\" %b | head -50' % (name, file.path),
            b"git diff --stat && git log --oneline -5 -- %b" % file.path,
            b"sed -n '%d,%dp' %b" % (rng.randrange(100), 100 + rng.randrange(100), file.path),
            b'for f in $(git ls-files); do grep -c %b \\"$f\\"; done | sort -rn' % name,
        )
    )
    output = output or pools.output(rng, result_size(rng))
    failed = rng.random() < 0.05
    about = pools.prose(rng, 60)[:70].replace(b"\\", b"").replace(b'"', b"")
    request = b'{"command":"%b","description":"%b"}' % (command, about.decode("utf-8", "ignore").encode())
    if failed:
        return Call("Bash", request, b"Exit code 1\\n" + output, b'"Error: Exit code 1\\n%b"' % output, failed=True)
    twin = b'{"stdout":"%b","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}' % output
    return Call("Bash", request, output, twin)


def read(rng: Random, pools: Pools, file: File) -> Call:
    start = 0 if rng.random() < 0.6 else rng.randrange(file.lines)
    shown = file.text(pools, start, 20 + result_size(rng) // 25)
    numbered = BREAK.join([b"%d\\t%b" % (number, line) for number, line in enumerate(shown, start + 1)])
    twin = b'{"type":"text","file":{"filePath":"%b","content":"%b","numLines":%d,"startLine":%d,"totalLines":%d}}' % (
        file.path,
        BREAK.join(shown),
        len(shown),
        start + 1,
        file.lines,
    )
    request = b'{"file_path":"%b","offset":%d,"limit":%d}' % (file.path, start + 1, len(shown))
    return Call("Read", request, numbered, twin)


def edit(rng: Random, pools: Pools, file: File) -> Call:
    start = rng.randrange(max(1, file.lines - 8))
    old = file.text(pools, start, rng.randrange(1, 11))
    fresh = rng.randrange(CODE_LINES - 20)
    new = old[:1] + pools.code[fresh : fresh + rng.randrange(1, 12)] + old[1:]
    patch = b",".join([b'"-%b"' % line for line in old] + [b'"+%b"' % line for line in new])
    request = b'{"replace_all":false,"file_path":"%b","old_string":"%b","new_string":"%b"}' % (
        file.path,
        BREAK.join(old),
        BREAK.join(new),
    )
    twin = (
        b'{"filePath":"%b","oldString":"%b","newString":"%b","originalFile":"%b","structuredPatch":[{"oldStart":%d,'
        b'"oldLines":%d,"newStart":%d,"newLines":%d,"lines":[%b]}],"userModified":false,"replaceAll":false}'
    ) % (
        file.path,
        BREAK.join(old),
        BREAK.join(new),
        BREAK.join(file.text(pools)),
        start,
        len(old),
        start,
        len(new),
        patch,
    )
    return Call("Edit", request, b"The file %b has been updated successfully." % file.path, twin)


def write(rng: Random, pools: Pools, file: File) -> Call:
    text = BREAK.join(file.text(pools))
    request = b'{"file_path":"%b","content":"%b"}' % (file.path, text)
    twin = b'{"type":"create","filePath":"%b","content":"%b","structuredPatch":[],"originalFile":null}' % (
        file.path,
        text,
    )
    return Call("Write", request, b"File created successfully at: %b" % file.path, twin)


def grep(rng: Random, pools: Pools, file: File) -> Call:
    name = rng.choice(pools.vocabulary.identifiers).encode()
    base = file.path.rsplit(b"/", 1)[0]
    shown = file.text(pools, 0, 4 + result_size(rng) // 90)
    text = BREAK.join([b"%b/%b.py:%d:%b" % (base, name, n * 7, line) for n, line in enumerate(shown, 1)])
    request = b'{"pattern":"%b","path":"%b","output_mode":"content","-n":true}' % (name, base)
    twin = b'{"mode":"content","numFiles":0,"filenames":[],"content":"%b","numLines":%d}' % (text, len(shown))
    return Call("Grep", request, text, twin)


def todo(rng: Random, pools: Pools, file: File) -> Call:
    items = [
        b'{"content":"%b","status":"%b","activeForm":"Working"}' % (name.encode(), state)
        for name, state in zip(
            rng.choices(pools.vocabulary.identifiers, k=5),
            (b"completed", b"completed", b"in_progress", b"pending", b"pending"),
            strict=True,
        )
    ]
    request = b'{"todos":[%b]}' % b",".join(items)
    twin = b'{"oldTodos":[%b],"newTodos":[%b]}' % (b",".join(items[:3]), b",".join(items))
    return Call("TodoWrite", request, b"Todos have been modified successfully.", twin)


def fetch(rng: Random, pools: Pools, file: File) -> Call:
    page = pools.prose(rng, result_size(rng) + 800)
    url = f"https://docs.example.org/{rng.choice(pools.vocabulary.identifiers)}".encode()
    twin = b'{"bytes":%d,"code":200,"codeText":"OK","result":"%b","durationMs":%d,"url":"%b"}' % (
        len(page) * 6,
        page,
        rng.randrange(4000),
        url,
    )
    return Call("WebFetch", b'{"url":"%b","prompt":"What does it say?"}' % url, page, twin)


def mcp(rng: Random, pools: Pools, file: File) -> Call:
    result = pools.output(rng, result_size(rng))
    request = b'{"query":"%b","limit":%d}' % (rng.choice(pools.vocabulary.identifiers).encode(), rng.randrange(50))
    return Call("mcp__tracker__search", request, result, b'[{"type":"text","text":"%b"}]' % result)


KINDS: tuple[tuple[Callable[[Random, Pools, File], Call], float], ...] = (
    (bash, 0.474),
    (read, 0.21),
    (edit, 0.16),
    (grep, 0.06),
    (write, 0.016),
    (todo, 0.03),
    (fetch, 0.02),
    (mcp, 0.03),
)


def call_draw(rng: Random, pools: Pools, file: File) -> Call:
    make = rng.choices([kind for kind, _ in KINDS], [weight for _, weight in KINDS])[0]
    return make(rng, pools, file)
