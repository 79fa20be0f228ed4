"""Rebuilds the text index after a restore from another kind of database."""

from __future__ import annotations

from collections.abc import Iterator

import zstandard
from django.db import DatabaseError, transaction
from django.db.models import Q

from inspector.backup.format.writer import Progress
from inspector.locks.hosts import own_hosts
from inspector.structured import get_logger
from sessions.imports.services.writer import WriteCounts
from sessions.models import Transcript
from sessions.search.services.indexing import index_archived
from sessions.text.engine.words import plural

logger = get_logger(__name__)


def reindex(progress: Progress) -> Iterator[str]:
    """Returns sentences for the person. The next import adds what is left out."""
    Transcript.objects.update(indexed=0)
    # The bytes of these are still only in a file of another host.
    own = Transcript.objects.exclude(Q(source__owed=True) & ~Q(source__host__in=own_hosts()))
    unread = 0
    for pk, entries in own.filter(entries__gt=0).values_list("pk", "entries").order_by("pk"):
        try:
            with transaction.atomic():
                index_archived(pk, 0, entries, WriteCounts())
        except DatabaseError:
            raise
        except (OSError, ValueError, LookupError, zstandard.ZstdError) as error:
            logger.warning("transcript_not_indexed", transcript=pk, error=str(error))
            # Every import would try it again; `lucid check` names what cannot be read.
            Transcript.objects.filter(pk=pk).update(indexed=entries)
            unread += 1
        progress("text index", pk)
    if unread:
        yield f"{plural(unread, 'session is', 'sessions are')} damaged in the archive; a search misses words of theirs."
