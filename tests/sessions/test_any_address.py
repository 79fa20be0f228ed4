"""Whatever stands in an address, it gets an answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from pytest_django.plugin import DjangoDbBlocker

from tests.importing import imported
from tests.sessions.writing import Writing

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("archive")]

SESSION = Writing().session


@pytest.fixture(scope="module")
def archive(
    tmp_path_factory: pytest.TempPathFactory, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    config = tmp_path_factory.mktemp("addresses")
    Writing().turns(1).save(config / "projects" / "-home-dev-tidewatch")
    with imported(django_db_blocker, config):
        yield


@pytest.mark.parametrize(
    "address",
    [
        *(
            f"/sessions/{SESSION}/?{name}={value}"
            for name in ("at", "from", "before")
            for value in ("²", "٣", "-1", "9" * 6000)
        ),
        *(f"/sessions/{SESSION}/live/?after={value}" for value in ("²", "-1", "1e3", "9" * 6000)),
        *(f"/sessions/{SESSION}/entries/{value}/" for value in ("L²", "L99999999", "L-1", "%00", "L", "%F0%9F%8C%8A")),
        *(f"/sessions/{SESSION}/entries/L0/images/{value}/" for value in ("0", "9" * 30, "9" * 6000)),
        *(f"/sessions/{SESSION}/problems/{value}/" for value in ("0", "9" * 30, "9" * 6000)),
        *(f"/sessions/{SESSION}/results/{value}/" for value in ("..%2f..%2fetc%2fpasswd", "%00", "%FF")),
        *(f"/sessions/{value}/" for value in ("%00", "%FF%FE", "..%2f", "'", "%F0%9F%8C%8A", "x" * 3000)),
        *(f"/sessions/?{name}={'9' * 6000}" for name in ("project", "page", "since", "text", "kind")),
        *(f"/sessions/?{name}=%00%FF" for name in ("project", "branch", "model", "sort", "text", "kind")),
        *(f"/search/?q={value}" for value in ("%00", "%22", "*", "%FF", "a" * 5000, "(" * 500, "%22a%00b%22")),
        *(f"/search/?q=tide&{name}={'9' * 6000}" for name in ("project", "before", "cursor", "deep")),
        *("/palette/?q=%00%FF", "/odd/?page=²", "/retention/?page=-3"),
    ],
)
def test_any_address_gets_an_answer(client: Client, address: str) -> None:
    assert client.get(address, headers={"host": "localhost"}).status_code in (200, 204, 301, 302, 400, 404)
