from __future__ import annotations

import pytest

from sessions.imports.engine.known_names import find_unknowns
from tests.demo import names
from tests.demo.reading import records


@pytest.mark.parametrize("label", [label for label in names.labels() if label != "odd"])
def test_there_is_nothing_in_the_demo_that_the_product_does_not_know(label: str) -> None:
    odd = [
        (index, *what) for index, row in enumerate(records(names.expected(label).path)) for what in find_unknowns(row)
    ]
    assert odd == []


def test_the_odd_session_has_one_unknown_thing_of_each_kind() -> None:
    result = {what: name for row in records(names.expected("odd").path) for what, name in find_unknowns(row)}
    assert result == {
        "type": "tide-signal",
        "key": "user.moonPhase",
        "block": "hologram",
        "subtype": "tide_turned",
        "attachment": "barometer",
    }
