from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.test import Client
from pytest_django.plugin import DjangoDbBlocker

from compaction.engine.kinds import Kind
from tests.importing import imported

pytestmark = pytest.mark.django_db
SESSION = "7446aeed-5c8c-513e-a5af-e6bd525f2f4a"
ADDRESS = f"/sessions/{SESSION}/compact/"


@pytest.fixture(scope="module", autouse=True)
def demo(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with imported(django_db_blocker, settings.DEMO_DIR):
        yield


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_has_its_form(client: Client, kind: Kind) -> None:
    response = client.get(f"{ADDRESS}?kind={kind}")
    print(response.content.decode()[:300])
    assert response.status_code == 200
