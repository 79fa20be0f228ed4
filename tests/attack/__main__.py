"""`python -m tests.attack`: all attacks, each in full, against a real `lucid serve`. Prints one table, and fails if
anything got through. `python -m tests.attack pages words` takes these modules alone."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from tests.attack import doors, files, pages, paths, recording, words  # noqa: E402
from tests.attack.area import Area, table  # noqa: E402
from tests.attack.world import World, world  # noqa: E402
from tests.inspector.owner.neighbour import Neighbour, neighbour_of_this_machine  # noqa: E402

Attack = Callable[[], Area | tuple[Area, ...]]


def main(modules: list[str]) -> int:
    areas: list[Area] = []
    with tempfile.TemporaryDirectory(prefix="lucid-attack-") as folder:
        path = Path(folder)
        path.chmod(0o755)
        for name in ("world", "socket"):
            (path / name).mkdir(mode=0o755)
        with world(path / "world") as made:
            for module, attack in _attacks(made, path):
                if modules and module not in modules:
                    continue
                started = time.monotonic()
                result = attack()
                areas += result if isinstance(result, tuple) else (result,)
                print(f"{areas[-1].name} ({time.monotonic() - started:.0f} s)", file=sys.stderr, flush=True)
    print(table(areas))
    return 1 if any(area.let_in for area in areas) else 0


def _attacks(made: World, folder: Path) -> Iterator[tuple[str, Attack]]:
    """Each with the module that it is in."""
    yield "doors", lambda: doors.without_proof(made, thorough=True)
    yield "doors", lambda: doors.proofs(made, thorough=True)
    yield "doors", lambda: doors.hosts(made, thorough=True)
    yield "doors", lambda: doors.forgeries(made, thorough=True)
    neighbour = neighbour_of_this_machine()
    if isinstance(neighbour, Neighbour):
        yield "doors", lambda: doors.as_neighbour(made, neighbour, thorough=True)
        yield "doors", lambda: doors.by_socket(folder / "socket", neighbour, thorough=True)
        yield "files", lambda: files.home(made, neighbour, thorough=True)
        yield "files", lambda: files.links(made, neighbour, thorough=True)
        yield "files", lambda: files.hooks(made, neighbour, thorough=True)
    else:
        yield "doors", lambda: Area("another user: routes, socket, home, links, hooks", skipped=neighbour)
    yield "files", lambda: files.commands(made, thorough=True)
    yield "files", lambda: files.races(made, thorough=True)
    yield "paths", lambda: paths.addresses(made, thorough=True)
    yield "paths", lambda: paths.forms(made, thorough=True)
    yield "paths", lambda: paths.arguments(made, thorough=True)
    yield "recording", lambda: recording.secrets(made, thorough=True)
    yield "recording", lambda: recording.smuggling(made, thorough=True)
    yield "recording", lambda: recording.foreign_pages(made, thorough=True)
    yield "pages", lambda: pages.markup(made, thorough=True)
    yield "pages", lambda: pages.in_a_browser(made, thorough=True)
    yield "words", lambda: words.commands(folder / "words", thorough=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
