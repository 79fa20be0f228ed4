from __future__ import annotations

import logging
import os
import socket
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from inspector import logs
from inspector.owner.address import entry_address, is_desktop, open_browser
from inspector.settings import env
from inspector.startup.address import Address, SocketFile, listen, parse_address
from inspector.startup.database import ensure_database
from inspector.startup.errors import StartupError
from inspector.startup.home import prepare_home, unwritable
from inspector.startup.home_claim import claim_home
from inspector.startup.processes import Helper
from inspector.startup.server import serve_until_told
from sessions.capture.endpoint.spool_location import recorder_of

UNCHECKED = (
    "LUCID_OWNER_CHECK is off: whoever reaches this address, every user of this machine among them, "
    "reads your sessions and changes your memory."
)
UNWRITTEN = 2.0
"""Seconds for recordings to be written when the server ends."""
WATCHER_AFTER = 0.3
WORKER_AFTER = 1.5
"""Seconds: the first page should not have to wait for two more interpreters to start, queued work can."""


class Command(BaseCommand):
    help = "Start the web server, a worker and the watcher; Ctrl-C stops them."
    needs_database = False
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--demo", action="store_true", help="show the built-in demo sessions instead of your own")
        parser.add_argument(
            "--bind",
            default=settings.LUCID_BIND,
            metavar="HOST:PORT",
            help="listen on this address (default: the setting LUCID_BIND)",
        )
        parser.add_argument("--no-browser", action="store_true", help="do not open a browser window")
        parser.add_argument("--no-watch", action="store_true", help="do not import sessions or follow changes to them")

    def handle(self, *, demo: bool, bind: str, no_watch: bool, no_browser: bool, **_: Any) -> None:
        address = parse_address(bind)
        try:
            prepare_home(settings.LUCID_HOME)
        except OSError as error:
            raise StartupError(unwritable(settings.LUCID_HOME, error)) from error
        listener = listen(address)
        if isinstance(address, Address):
            address = Address(address.host, listener.getsockname()[1])
        claim = claim_home(settings.LUCID_HOME, address.url)
        ensure_database(self._say, check=True)
        logs.show_on_console(settings.LUCID_LOG_LEVEL)
        if bind != settings.LUCID_BIND:
            env.override("LUCID_BIND", str(address), "lucid serve --bind")
        if no_watch:
            env.override("LUCID_WATCH", "off", "lucid serve --no-watch")
        self._serve(
            listener, address, _helpers(demo=demo, watch=settings.LUCID_WATCH and not no_watch), browser=not no_browser
        )
        recorder_of(settings.LUCID_HOME).drain(UNWRITTEN)
        if isinstance(address, SocketFile):
            address.path.unlink(missing_ok=True)
        claim.close()
        _leave()

    def _serve(
        self, listener: socket.socket, address: Address | SocketFile, helpers: list[Helper], *, browser: bool
    ) -> None:
        if isinstance(address, Address) and address.host not in settings.ALLOWED_HOSTS and ":" not in address.host:
            settings.ALLOWED_HOSTS.append(address.host)
        serve_until_told(listener, helpers, ready=lambda: self._welcome(address, browser=browser))

    def _welcome(self, address: Address | SocketFile, *, browser: bool) -> None:
        if isinstance(address, SocketFile):
            self._say(f"Lucid is on {address}, for you and root alone (Ctrl-C stops it)")
            return
        if not settings.LUCID_OWNER_CHECK:
            self._say(f"Lucid is on {address.url} (Ctrl-C stops it)")
            self._say(UNCHECKED)
            return
        entry = entry_address(settings.LUCID_HOME, address.url)
        self._say(f"Lucid is on {entry} (for one browser, once; `lucid open` prints another; Ctrl-C stops it)")
        if browser and is_desktop(settings.USER_ENVIRONMENT):
            open_browser(settings.LUCID_HOME, address.url)

    def _say(self, sentence: str) -> None:
        self.stdout.write(sentence)
        self.stdout.flush()


def _helpers(*, demo: bool, watch: bool) -> list[Helper]:
    helpers = []
    if settings.LUCID_WORKER:
        helpers.append(Helper("worker", "worker", after=WORKER_AFTER, patience=settings.LUCID_STOP_SECONDS))
    if watch:
        where = ["--path", str(settings.DEMO_DIR)] if demo else []
        helpers.append(Helper("watcher", "watch", *where, after=WATCHER_AFTER))
    return helpers


def _leave() -> None:
    """Ends without waiting for threads, so that a view for a reader who has left does not delay the end."""
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
