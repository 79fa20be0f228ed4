from __future__ import annotations

from pathlib import Path

import pytest

from tests.wheel.building import build, source_copy


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return source_copy(tmp_path_factory.mktemp("source") / "lucid")


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory, source: Path) -> Path:
    """A folder with the source distribution and the wheel that was made of it."""
    folder = tmp_path_factory.mktemp("release") / "dist"
    build(source, folder)
    return folder
