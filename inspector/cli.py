"""`lucid COMMAND`: Lucid's management commands as a command line tool."""

from __future__ import annotations

import gc
import logging
import os
import sys
import threading
from contextlib import suppress
from io import TextIOWrapper
from typing import Any, NoReturn

import django
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from inspector import __version__
from inspector.logs import show_on_console
from inspector.startup.privacy import tighten_home
from inspector.web.database_errors import Trouble, find_trouble, reason_of
from inspector.web.disk_errors import disk_trouble
from sessions.archive.engine.damage import DamageError
from sessions.imports.services.priority import IMPORT, give_way

OUR_APPS = ("inspector", "sessions", "memory", "compaction")
FAILED = 1
WRONG_USAGE = 2
INTERRUPTED = 130
NOBODY_READS = 141
COLLECTED_AFTER = 50_000
"""Objects: nearly all that a command makes stays to its end. Looking for rings among them at every 700, as Python does,
takes a tenth of the time of a command that reads thousands of files."""
WAIT = {
    Trouble.HELD: "The database is held by another program; try again in a moment.",
    Trouble.AWAY: "The database does not answer; try again when it is back.",
}
"""Pages retry by themselves and say so; a command ends, perhaps with part of its work done."""
# Django adds these to every command; here they would only hide the command's own options.
UNLISTED = {
    "--version",
    "--verbosity",
    "--settings",
    "--pythonpath",
    "--traceback",
    "--no-color",
    "--force-color",
    "--skip-checks",
}


def main() -> None:
    _leave(run(sys.argv[1:]))


def _leave(status: int) -> NoReturn:
    """Ends the process without cleanup, which takes as long as a quick command."""
    if threading.active_count() > 1:
        sys.exit(status)  # another process is still at work
    if settings.configured:
        connections.close_all()  # the last connection to close merges the journal into the database
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(BrokenPipeError):
            stream.flush()
    os._exit(status)


def run(argv: list[str], *, foreground: bool = False) -> int:
    """Runs a command and returns its exit status. In the foreground its log goes to standard error."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "inspector.settings")
    gc.set_threshold(COLLECTED_AFTER)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that cannot show a character of a title should still show the rest.
            stream.reconfigure(errors="replace")
    try:
        django.setup(set_prefix=False)
        if foreground:
            show_on_console(settings.LUCID_LOG_LEVEL)
        elif sentence := tighten_home(settings.LUCID_HOME):
            _say(f"lucid: {sentence}")
        status = _dispatch(argv)
        sys.stdout.flush()
        return status
    except (CommandError, ImproperlyConfigured) as error:
        return _fail(str(error), getattr(error, "returncode", FAILED))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Python flushes again when it exits, which may then go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOBODY_READS


def _dispatch(argv: list[str]) -> int:
    if not argv or argv[0] in ("-h", "--help") or argv == ["help"]:
        _print_help()
        return 0
    if argv[0] in ("-V", "--version"):
        print(f"lucid {__version__}")
        return 0
    if argv[0] == "help":
        argv = [argv[1], "--help"]
    name, *arguments = argv
    app = get_commands().get(name)
    if app is None:
        return _fail(f"there is no command “{name}”; `lucid help` lists those that there are.", WRONG_USAGE)
    command = app if isinstance(app, BaseCommand) else load_command_class(app, name)
    return _execute(command, name, arguments)


def _execute(command: BaseCommand, name: str, arguments: list[str]) -> int:
    command.suppressed_base_arguments = UNLISTED
    # Wrong usage then ends with the usage and status 2 instead of an exception.
    command._called_from_command_line = True  # type: ignore[attr-defined]
    options = vars(command.create_parser("lucid", name).parse_args(arguments))
    if getattr(command, "gives_way", False):
        give_way(IMPORT)
    try:
        if _needs_database(command, options):
            _ensure_database()
        command.execute(*options.pop("args", ()), **{**options, "skip_checks": True})
    except (CommandError, BrokenPipeError):
        raise
    except Exception as error:
        if options.get("traceback"):
            raise
        logging.getLogger(__name__).error("command_failed", extra={"command": name}, exc_info=True)
        raise CommandError(_report_unexpected(name, error)) from error
    return 0


def _needs_database(command: BaseCommand, options: dict[str, Any]) -> bool:
    """Lucid's commands need it, unless they or their options say otherwise; Django's own (`migrate`) do not."""
    ours = type(command).__module__.partition(".")[0] in OUR_APPS
    return ours and bool(options.get("needs_database", getattr(command, "needs_database", True)))


def _ensure_database() -> None:
    from inspector.startup.database import ensure_database

    ensure_database(_say)


def _report_unexpected(name: str, error: Exception) -> str:
    if sentence := disk_trouble(error):
        return sentence
    if isinstance(error, DamageError):
        return f"{error} lucid check says what else is damaged, and what can be repaired."
    if trouble := find_trouble(error):
        return WAIT[trouble]
    cause = f"{type(error).__name__}: {reason_of(error)}"
    return f"{name} failed unexpectedly ({cause}); the details are in {settings.LOG_FILE}."


def _print_help() -> None:
    print("Usage: lucid COMMAND [OPTIONS]\n")
    for name, command in listed_commands().items():
        summary = command.help.partition("\n")[0]
        print(f"  {name:<14} {summary}")
    print("\n`lucid COMMAND --help` tells more.")


def listed_commands() -> dict[str, BaseCommand]:
    """Lucid's commands by name."""
    ours = {name: app for name, app in sorted(get_commands().items()) if _is_ours(app)}
    return {name: load_command_class(app, name) for name, app in ours.items()}


def _is_ours(app: Any) -> bool:
    return isinstance(app, str) and app.partition(".")[0] in OUR_APPS


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr)


def _fail(reason: str, status: int = FAILED) -> int:
    _say(f"lucid: {reason}")
    return status
