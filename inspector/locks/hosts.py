"""Whose files are whose. Hosts that share a PostgreSQL may have other files under the same path, or the
same ones mounted.

A source belongs to the host that saw it last. What another host has under its path is the same file if it goes on from
what is archived, or is an earlier state of it: then nothing is stored again. Otherwise it is a file of its own. A host
says only of its own sources that they moved or vanished."""

from __future__ import annotations

import socket

from django.conf import settings
from django.db import connection


def this_host() -> str:
    """Empty for a database file, which only one host uses, and whose name may change at any time."""
    if connection.vendor == "sqlite":
        return ""
    return settings.LUCID_HOST or socket.gethostname()


def own_hosts() -> tuple[str, ...]:
    """Sources without a host are from before there were several; they belong to whichever host finds them."""
    return tuple({this_host(), ""})
