"""The text index anew, for a database whose index another kind of database cannot read."""

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
    """What a person should know of it, as sentences. What is left out is made up for by the next import."""
    Transcript.objects.update(indexed=0)
    # The bytes of these are still in a file of another host.
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
            # It would be tried again by every import; the archive has what cannot be read, and `check` names it.
            Transcript.objects.filter(pk=pk).update(indexed=entries)
            unread += 1
        progress("text index", pk)
    if unread:
        yield f"{plural(unread, 'session is', 'sessions are')} damaged in the archive; a search misses words of theirs."
