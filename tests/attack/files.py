"""What the neighbour reads and plants in the file system: the home, links, settings with hooks, and files that are
exchanged at the wrong moment."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from memory.chain.engine.instruction_files import LeadsOutError, NotTextError, read_text
from memory.files.engine.disk import FileTroubleError, Folder
from tests.attack.area import Area
from tests.attack.world import PRIVATE, SHARED, World
from tests.inspector.owner.neighbour import Neighbour

CLOSED = {0o700, 0o600}


def home(world: World, neighbour: Neighbour, *, thorough: bool) -> Area:
    """Whatever is in the home, asked for by its name."""
    area = Area("files of the home as another user")
    paths = sorted((world.home, *world.home.rglob("*")))
    opened = neighbour.does(lambda: [_is_opened(path) for path in paths])
    for path, success in zip(paths, opened, strict=True):
        area.expect(not success, f"{path} was read")
    planted = [world.home / name for name in ("owner.key", "secret.key", "entry/planted", "queue/planted", "planted")]
    made = neighbour.does(lambda: [_is_written(path) for path in planted])
    for path, success in zip(planted, made, strict=True):
        area.expect(not success, f"{path} was written")
    return area


def commands(world: World, *, thorough: bool) -> Area:
    """A home that stands open is closed by whatever command runs next."""
    area = Area("an open home after each command")
    session, memory = SHARED, str(world.memory)
    each: tuple[tuple[str, ...], ...] = (
        ("sessions", "--json"),
        ("--version",),
        ("help",),
        ("open",),
        ("no-such-command",),
        ("check", "--json"),
        ("import", str(world.config), "--json"),
        ("requests", session, "--json"),
        ("context", session, "--json"),
        ("search", "tide", "--json"),
        ("cache", session, "--json"),
        ("capture", "list", "--json"),
        ("memory", "show", memory, "--json"),
        ("memory", "lint", memory, "--json"),
        ("recall", memory, "tides", "--json"),
        ("notes", session, "--json"),
        ("compact", session, "--kind", "snip", "--json"),
        ("dream", memory, "--json"),
        ("sessions", "--help"),
    )
    for arguments in each if thorough else each[:4]:
        for path in (world.home, *world.home.rglob("*")):
            path.chmod(0o777 if path.is_dir() else 0o666)
        world.lucid(*arguments)
        open_ones = [str(path) for path in (world.home, *world.home.rglob("*")) if _mode(path) not in CLOSED]
        area.expect(not open_ones, f"{arguments} left open: {open_ones[:5]}")
    return area


def links(world: World, neighbour: Neighbour, *, thorough: bool) -> Area:
    """Instructions and memory files that lead to what only the owner can read."""
    area = Area("links that lead out")
    neighbour.does(lambda: _plant_links(world))
    browser = world.browser()
    number = world.memory_number
    shown = [f"/memory/{number}/{part}/" for part in ("chain", "findings", "loaded", "health", "history")]
    shown += [f"/memory/{number}/chain/?session={SHARED}", f"/memory/{number}/"]
    for name in ("linked.md", "linked/tables.txt", "../../../../private/tables.txt", str(world.private)):
        shown += [f"/memory/{number}/{page}/?name={name}" for page in ("file", "edit", "history", "new")]
    chain = browser.get(f"/memory/{number}/chain/").content.decode()
    area.expect("out of the project or the configuration" in chain, "the chain does not name the links")
    for address in shown:
        area.expect(PRIVATE.encode() not in browser.get(address).content, address)
    for arguments in (("memory", "show", str(world.memory), "linked.md"), ("memory", "lint", str(world.memory))):
        result = world.lucid(*arguments)
        area.expect(PRIVATE not in result.stdout + result.stderr, arguments)
    browser.close()
    return area


def hooks(world: World, neighbour: Neighbour, *, thorough: bool) -> Area:
    """Commands in settings that the neighbour wrote, or could have written, where hooks are wanted."""
    area = Area("planted hooks")
    for name in ("settings.json", "settings.local.json"):
        neighbour.does(partial(_plant_hook, world, name))
        result = world.lucid("compact", SHARED, "--kind", "full", "--model", "mechanical", "--project-hooks", "--json")
        area.expect(result.returncode == 0 and not world.mark.exists(), (name, "a hook of the neighbour ran", result))
        page = world.browser().get(f"/sessions/{SHARED}/compact/?kind=full").content.decode()
        area.expect("nobody" in page and "drwxrwxrwx" in page, "the page does not tell who wrote the hook")
        neighbour.does(lambda: _remove(world.shared / ".claude"))
    # The owner's own file, where everybody can exchange it.
    folder = world.shared / ".claude"
    folder.mkdir(mode=0o755)
    (folder / "settings.json").write_text(_settings(world))
    result = world.lucid("compact", SHARED, "--kind", "full", "--model", "mechanical", "--project-hooks", "--json")
    area.expect(result.returncode == 0 and not world.mark.exists(), ("a hook in a shared directory ran", result))
    _remove(folder)
    return area


def races(world: World, *, thorough: bool) -> Area:
    """A file that is a link at one moment and a file at the next, and a directory likewise: never is the link's target
    read."""
    area = Area("files exchanged for links while they are read")
    root = world.folder / "exchanged"
    (root / "folder").mkdir(parents=True)
    (root / "folder" / "tables.txt").write_text("harmless\n")
    (root / "file.md").write_text("harmless\n")
    tries = 3_000 if thorough else 300
    with _exchanging(root, world.private):
        for _ in range(tries):
            for name in ("file.md", "folder/tables.txt"):
                area.expect(PRIVATE not in _of_chain(root, name), f"the chain followed {name}")
                area.expect(PRIVATE.encode() not in _of_memory(root, name), f"memory followed {name}")
    return area


def _of_chain(root: Path, name: str) -> str:
    try:
        return read_text(root / name, root)
    except (OSError, LeadsOutError, NotTextError):
        return ""


def _of_memory(root: Path, name: str) -> bytes:
    try:
        with Folder(root) as folder:
            result = folder.read(name)
    except FileTroubleError:
        return b""
    return result.data if result else b""


@contextmanager
def _exchanging(root: Path, target: Path) -> Iterator[None]:
    stop = threading.Event()

    def exchange() -> None:
        while not stop.is_set():
            for name, to in (("file.md", target), ("folder", target.parent)):
                aside = root / f".{name}"
                (root / name).rename(aside)
                (root / name).symlink_to(to)
                (root / name).unlink()
                aside.rename(root / name)

    thread = threading.Thread(target=exchange, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(60)


def _plant_links(world: World) -> bool:
    shared = world.shared
    (shared / "CLAUDE.md").symlink_to(world.private)
    (shared / ".claude" / "rules").mkdir(parents=True)
    (shared / ".claude" / "rules" / "tides.md").symlink_to(world.private)
    (shared / ".claude" / "rules" / "folder").symlink_to(world.private.parent)
    (shared / ".claude" / "CLAUDE.md").write_text(
        f"@{world.private}\n@../../private/tables.txt\n@~/.bashrc\n@link.md\n"
    )
    (shared / ".claude" / "link.md").symlink_to(world.private)
    (shared / "CLAUDE.local.md").write_text(f"See @{world.private} and @CLAUDE.md\n")
    (shared / "below").mkdir()
    (shared / "below" / "CLAUDE.md").symlink_to(world.private)
    return True


def _plant_hook(world: World, name: str) -> bool:
    _remove(world.shared / ".claude")
    folder = world.shared / ".claude"
    folder.mkdir()
    folder.chmod(0o777)
    (folder / name).write_text(_settings(world))
    return True


def _settings(world: World) -> str:
    command = {"type": "command", "command": f"touch {world.mark}"}
    events = ("PreCompact", "PostCompact", "SessionStart", "SessionEnd", "Stop", "UserPromptSubmit")
    return json.dumps({"hooks": {event: [{"matcher": "", "hooks": [command]}] for event in events}})


def _remove(folder: Path) -> bool:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if not path.is_symlink() and path.is_dir() else path.unlink()
    if folder.is_dir():
        folder.rmdir()
    return True


def _is_opened(path: Path) -> bool:
    """Or listed."""
    return _succeeds(lambda: os.listdir(path)) or _succeeds(lambda: os.close(os.open(path, os.O_RDONLY)))


def _is_written(path: Path) -> bool:
    return _succeeds(lambda: os.close(os.open(path, os.O_WRONLY | os.O_CREAT)))


def _succeeds(act: Callable[[], object]) -> bool:
    try:
        act()
    except OSError:
        return False
    return True


def _mode(path: Path) -> int:
    try:
        return path.lstat().st_mode & 0o777
    except FileNotFoundError:
        return 0o600  # a file of the server that was there for a moment
