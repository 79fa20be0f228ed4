"""What a release holds: every file that Lucid needs, and nothing of the tree around it."""

from __future__ import annotations

import tarfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from zipfile import ZipFile

import pytest

from inspector import __version__
from tests.serving import ROOT
from tests.wheel.building import FILES, FOLDERS, PACKAGES, build, wheel_in

INFO = f"lucid_inspector-{__version__}.dist-info/"


@pytest.fixture(scope="module")
def wheel(release: Path) -> Path:
    return wheel_in(release)


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    with ZipFile(wheel) as archive:
        return message_from_bytes(archive.read(f"{INFO}METADATA"))


def files_below(*folders: str) -> set[str]:
    below = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    return {str(path.relative_to(ROOT)) for path in below if path.is_file() and "__pycache__" not in path.parts}


def checksums(wheel: Path) -> dict[str, int]:
    with ZipFile(wheel) as archive:
        return {entry.filename: entry.CRC for entry in archive.infolist()}


def test_a_wheel_holds_every_file_of_the_packages_and_of_the_folders_beside_them_and_no_other(wheel: Path) -> None:
    held = {name for name in checksums(wheel) if not name.startswith(INFO)}
    assert held == files_below(*PACKAGES) | {f"inspector/_data/{name}" for name in files_below(*FOLDERS)}


def test_the_files_in_a_wheel_are_those_of_the_tree(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        for name in archive.namelist():
            if not name.startswith(INFO):
                assert archive.read(name) == (ROOT / name.removeprefix("inspector/_data/")).read_bytes(), name


def test_a_wheel_of_the_tree_is_that_of_the_source_distribution(
    wheel: Path, source: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("direct") / "dist"
    build(source, folder, "--wheel")
    assert checksums(wheel_in(folder)) == checksums(wheel)


def test_a_source_distribution_holds_what_a_release_is_made_of(release: Path) -> None:
    (path,) = release.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        held = {name.partition("/")[2] for name in archive.getnames() if archive.getmember(name).isfile()}
    generated = {name for name in held if name.startswith("lucid_inspector.egg-info/")} | {"PKG-INFO", "setup.cfg"}
    assert held - generated == files_below(*PACKAGES, *FOLDERS) | set(FILES)


def test_the_metadata_name_version_licence_pythons_and_extras(metadata: Message) -> None:
    assert (metadata["Name"], metadata["Version"]) == ("lucid-inspector", __version__)
    assert metadata["License-Expression"] == "MIT"
    assert set(metadata.get_all("License-File", [])) == {"LICENSE", "sessions/secrets/engine/gitleaks/LICENSE"}
    assert metadata["Requires-Python"] == ">=3.11"
    assert set(metadata.get_all("Provides-Extra", [])) == {"fast", "postgres"}
    pythons = [item for item in metadata.get_all("Classifier", []) if item.startswith("Programming Language")]
    assert [classifier.rpartition(" ")[2] for classifier in pythons] == ["3", "3.11", "3.12", "3.13"]
