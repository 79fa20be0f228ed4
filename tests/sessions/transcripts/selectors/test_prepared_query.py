"""Queries whose SQL is worked out once."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connection
from django.db.models import Field
from django.test.utils import CaptureQueriesContext

from sessions.models import Transcript
from sessions.transcripts.selectors.prepared_query import PreparedQuery, Slot
from tests.sessions.made import session

pytestmark = pytest.mark.django_db


def column(name: str) -> Field[Any, Any]:
    field = Transcript._meta.get_field(name)
    assert isinstance(field, Field)
    return field


named = PreparedQuery(
    lambda: (
        Transcript.objects.select_related("source", "project", "parent")
        .defer("state")
        .filter(public_id=Slot("name", column("public_id")))
    )
)


def test_it_answers_as_the_query_does_for_each_value_with_what_is_joined_and_without_what_is_left_out() -> None:
    parent = session(meta={"a": [1]})
    for wanted in (parent, session(parent=parent, settled=True)):
        with CaptureQueriesContext(connection) as queries:
            (row,) = named.rows(name=wanted.public_id)
            assert (row.pk, row.meta, row.settled) == (wanted.pk, wanted.meta, wanted.settled)
            assert (row.source.path, row.project.name) == (wanted.source.path, wanted.project.name)
            assert row.parent == wanted.parent
        assert len(queries) == 1
        assert row.get_deferred_fields() == {"state"}
    assert named.rows(name="nobody") == []


def test_each_thread_asks_on_its_own_connection() -> None:
    session()
    requests: list[object] = []

    def ask() -> None:
        named.rows(name="nobody")
        requests.append(connection.connection)
        connection.close()

    named.rows(name="nobody")
    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert requests
    assert requests[0] is not connection.connection
