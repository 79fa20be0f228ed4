from __future__ import annotations

import pytest

from memory.history.selectors.history import action_of
from memory.models import Version


def version(**fields: int | str | Version) -> Version:
    return Version(**{"directory_id": 1, "name": "tides.md", "blob_id": 1, **fields})


@pytest.mark.parametrize(
    ("after", "action"),
    [
        (version(), "created"),
        (version(parent=Version(directory_id=1, name="tides.md")), "created"),
        (version(parent=version(directory_id=2, name="boats.md")), "moved"),
        (version(parent=version(name="boats.md")), "renamed"),
        (version(parent=version(blob_id=2)), "changed"),
        (version(parent=version()), "mode changed"),
        (Version(directory_id=1, name="tides.md", parent=version()), "deleted"),
    ],
)
def test_what_happened_to_a_file_is_told_from_its_version_and_the_one_before(after: Version, action: str) -> None:
    assert action_of(after) == action
