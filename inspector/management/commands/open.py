from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from inspector.owner.address import entry_address
from inspector.owner.key import owner_key_replace
from inspector.startup.home_claim import running_at


class Command(BaseCommand):
    help = "Print an address that lets one more browser in; it works once."
    needs_database = False
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--anew",
            action="store_true",
            help="first sign out every browser and change the address of the recording endpoint",
        )

    def handle(self, *, anew: bool, **_: Any) -> None:
        url = running_at(settings.LUCID_HOME)
        if url is None:
            raise CommandError(f"no Lucid runs with the home {settings.LUCID_HOME}; start one with `lucid serve`.")
        if not url.startswith("http"):
            raise CommandError(f"Lucid listens on {url}, which no browser can open; try `curl --unix-socket`.")
        if anew:
            owner_key_replace(settings.LUCID_HOME)
        self.stdout.write(entry_address(settings.LUCID_HOME, url) if settings.LUCID_OWNER_CHECK else url)
