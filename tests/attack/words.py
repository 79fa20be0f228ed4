"""Command lines for the read-only shell of the agents: whatever a model was talked into writing, nothing is run but the
programs on the list, and nothing is read but what lies inside."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterator
from pathlib import Path

from inspector.agents.cancel import CancelToken
from inspector.agents.tools import Limits, Readable, Shell
from inspector.agents.tools.tool import DeniedError, FailedError
from tests.attack.area import Area

SECRET = "the admiral's own log"


def commands(folder: Path, *, thorough: bool) -> Area:
    area = Area("command lines of agents")
    root, mark = folder / "root", folder / "it-ran"
    root.mkdir(parents=True)
    (folder / "secret.md").write_text(SECRET)
    (root / "a.md").write_text("apple\n")
    (root / "-exec").write_text("odd\n")
    (root / "--files0-from=x").write_text("odd\n")
    (root / "link.md").symlink_to(folder / "secret.md")
    (root / "up").symlink_to(folder)
    before = _print(folder)
    shell = Shell(Readable((root,)), Limits(seconds=20))
    for command in _corpus(folder, mark, thorough=thorough):
        area.expect(SECRET not in _output(shell, command), command)
    area.expect(not mark.exists(), "a command ran")
    area.expect(_print(folder) == before, "a file was made, changed or deleted")
    return area


def _output(shell: Shell, command: str) -> str:
    try:
        return shell.run({"command": command}, CancelToken()).text
    except (DeniedError, FailedError) as error:
        return str(error)


def _corpus(folder: Path, mark: Path, *, thorough: bool) -> Iterator[str]:
    secret, touch = folder / "secret.md", f"touch {mark}"
    reads = ["cat a.md", "ls", "find .", "grep -r a .", "head a.md", "wc a.md", "stat a.md", "tail a.md"]
    joins = [
        ";",
        "&&",
        "||",
        "|",
        "&",
        "\n",
        "\r",
        "\r\n",
        "|&",
        ";;",
        "\\\n",
        "\x0b",
        "\x0c",
        "\u2028",
        "\u2029",
        "\x85",
    ]
    for read, join, blank in itertools.product(reads, joins, ("", " ")):
        yield f"{read}{blank}{join}{blank}{touch}"
        yield f"{touch}{blank}{join}{blank}{read}"
    around = [
        "$({})",
        "`{}`",
        "${{IFS}}{}",
        "<({})",
        ">({})",
        "$(({}))",
        "({})",
        "{{ {}; }}",
        '"$({})"',
        '"`{}`"',
        "'{}'",
    ]
    around += [
        "\\$({})",
        "$'{}'",
        '$"{}"',
        "!{}",
        "a=$({}) ls",
        "exec {}",
        "eval '{}'",
        "command {}",
        "env {}",
        "sh -c '{}'",
    ]
    around += ["bash<<<'{}'", "xargs {}", "nohup {}", "time {}", "sudo {}", "busybox {}", "python3 -c '{}'", "awk '{}'"]
    for form, read in itertools.product(around, ["", *reads]):
        yield f"{read} {form.format(touch)}".strip()
        yield f"{read} {form.format(f'cat {secret}')}".strip()
    ways = [
        str(secret),
        "../secret.md",
        "link.md",
        "up/secret.md",
        "./up/../secret.md",
        "~/../secret.md",
        "./*/secret.md",
    ]
    ways += [
        "up/*",
        "l*",
        "[l]ink.md",
        "?ink.md",
        "*/../../secret.md",
        '"up"/secret.md',
        "u\\p/secret.md",
        "..//secret.md",
    ]
    ways += [
        "''../secret.md",
        "./.././secret.md",
        "/proc/self/cwd/../secret.md",
        "/dev/fd/0",
        "/proc/self/root/etc/passwd",
    ]
    options = [
        "",
        "-n ",
        "-- ",
        "-r ",
        "-R ",
        "-L ",
        "-f ",
        "--file=",
        "-e x -f",
        "-la ",
        "--files0-from=",
        "-H ",
        "-c ",
        "-F ",
    ]
    for name, option, way in itertools.product(
        ("cat", "grep", "head", "tail", "ls", "wc", "stat", "find"), options, ways
    ):
        yield f"{name} {option}{way}"
    acts = [
        "-delete",
        "-exec {} ;",
        "-exec {} \\;",
        "-execdir {} +",
        "-ok {} ;",
        "-fprint {}",
        "-fls {}",
        "-fprintf {} x",
    ]
    acts += ["-files0-from {}", "-newer {}", "-samefile {}", "-follow", "-L", "-anewer {}", "-prune -o -delete"]
    yield from (f"find . {act.format(touch)}" for act in acts)
    yield from (f"find . {act.format(secret)}" for act in acts)
    yield from (f"find . '{act.format(touch)}'" for act in acts)
    pieces = [
        *joins,
        *ways,
        *reads,
        touch,
        "$(",
        "`",
        "'",
        '"',
        "\\",
        "*",
        "{",
        "}",
        "<",
        ">",
        "#",
        "-",
        "--",
        "|",
        " ",
        "\0",
    ]
    dice = random.Random(14)
    for _ in range(6_000 if thorough else 300):
        yield "".join(dice.choices(pieces, k=dice.randint(1, 7)))


def _print(folder: Path) -> list[tuple[str, int, int]]:
    results = []
    for parent, _, names in os.walk(folder):
        for name in names:
            status = os.lstat(os.path.join(parent, name))
            results.append((os.path.join(parent, name), status.st_size, status.st_mtime_ns))
    return sorted(results)
