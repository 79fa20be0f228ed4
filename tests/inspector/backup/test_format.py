"""The file of a backup: what was written is read, and whatever was not is refused with the part that it is in."""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import tarfile
from pathlib import Path

import msgspec
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from inspector.backup.format.container import END, MOST_BYTES, write_member
from inspector.backup.format.errors import BackupError, DamageError
from inspector.backup.format.manifest import FORMAT, Manifest, Part, Stream, encode_manifest
from inspector.backup.format.reader import BackupReader, Rows
from inspector.backup.format.rows import MOST_RAW, PART_BYTES, Value, pack
from inspector.backup.format.writer import hash_line
from tests.inspector.backup.crafting import FILES, TIDES, crafted, silent

VALUES: st.SearchStrategy[Value] = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.binary()
)


def read(data: bytes) -> tuple[Manifest, list[Rows]]:
    reader = BackupReader(io.BytesIO(data))
    manifest = reader.verify(silent)
    return manifest, [[row for rows in reader.batches(stream) for row in rows] for stream in manifest.streams]


@given(st.lists(st.tuples(VALUES, VALUES), max_size=20))
def test_rows_come_back_as_they_were(rows: list[tuple[Value, Value]]) -> None:
    manifest, (result,) = read(crafted(("tables", "tides", ("a", "b"), rows)))
    assert result == rows
    assert [[type(value) for value in row] for row in result] == [[type(value) for value in row] for row in rows]
    assert manifest.streams[0].rows == len(rows)


def test_long_rows_are_parted_so_that_few_are_in_memory() -> None:
    rows = [(number, bytes(PART_BYTES // 2)) for number in range(10)]
    manifest, (result,) = read(crafted(("tables", "tides", ("id", "data"), rows)))
    assert [part.rows for part in manifest.streams[0].parts] == [2] * 5
    assert result == rows


A_FEW_OR_ALL = pytest.mark.parametrize("step", [7, pytest.param(1, id="all", marks=pytest.mark.long)])


@A_FEW_OR_ALL
def test_a_bit_that_flips_is_noticed_in_every_byte(step: int) -> None:
    sound = crafted(FILES, TIDES)
    for place in range(0, len(sound), step):
        flipped = bytearray(sound)
        flipped[place] ^= 1 << place % 8
        with pytest.raises(BackupError):
            read(bytes(flipped))


@A_FEW_OR_ALL
def test_every_cut_is_noticed(step: int) -> None:
    sound = crafted(FILES, TIDES)
    for end in range(0, len(sound), step):
        with pytest.raises(BackupError):
            read(sound[:end])
    with pytest.raises(DamageError, match="more follows"):
        read(sound + b"\0")


def test_the_damaged_part_is_named() -> None:
    sound = crafted(FILES, TIDES)
    index = sound.index(b"tables/tides/00000001.msgpack.zst") + 512 + 20
    damaged = sound[:index] + bytes([sound[index] ^ 1]) + sound[index + 1 :]
    with pytest.raises(DamageError, match=r"^The backup is damaged: tables/tides/00000001\.msgpack\.zst ") as caught:
        read(damaged)
    assert caught.value.part == "tables/tides/00000001.msgpack.zst"


@pytest.mark.parametrize("data", [b"", b"\0" * 512, b"not a backup" * 100, END], ids=["empty", "zeros", "text", "end"])
def test_another_file_is_no_backup(data: bytes) -> None:
    with pytest.raises(BackupError):
        read(data)


def test_it_opens_with_the_tools_of_every_system(tmp_path: Path) -> None:
    if shutil.which("zstd") is None:
        pytest.skip("zstd is not installed")
    (tmp_path / "backup").write_bytes(crafted(TIDES))
    subprocess.run(["tar", "-xf", "backup"], cwd=tmp_path, check=True)
    subprocess.run(["sha256sum", "--quiet", "-c", "manifest.json.sha256"], cwd=tmp_path, check=True)
    packed = tmp_path / "tables" / "tides" / "00000001.msgpack.zst"
    raw = subprocess.run(["zstd", "-dc", packed], capture_output=True, check=True).stdout
    assert msgspec.msgpack.decode(raw)[0] == [1, 4.5, "high"]


def signed(manifest: Manifest, *members: tuple[str, bytes]) -> bytes:
    """Whoever makes one up makes up the hashes, too."""
    file = io.BytesIO()
    for name, data in members:
        write_member(file, name, data)
    write_member(file, "manifest.json", encode_manifest(manifest))
    write_member(file, "manifest.json.sha256", hash_line(encode_manifest(manifest)))
    file.write(END)
    return file.getvalue()


def manifest_of(*streams: Stream, version: int = FORMAT) -> Manifest:
    return Manifest("0.1", 0, "sqlite", [], 0, 0, {}, list(streams), format=version)


def tides(data: bytes, raw: int = 1, rows: int = 1) -> Manifest:
    part = Part("tables/tides/00000001.msgpack.zst", len(data), raw, rows, hashlib.sha256(data).hexdigest())
    return manifest_of(Stream("tables", "tides", ["id"], [part]))


def test_a_newer_format_is_refused() -> None:
    with pytest.raises(BackupError, match="newer Lucid"):
        read(signed(manifest_of(version=FORMAT + 1)))


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "/etc/passwd", "tables/../x/00000001.msgpack.zst", "tables/a/1.zst", "files/home", "x" * 90],
)
def test_names_of_somebody_elses_are_refused(name: str) -> None:
    with pytest.raises(BackupError):
        read(signed(manifest_of(), ("tables/tides/00000001.msgpack.zst", pack([])[0]), (name, b"x")))


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_are_refused(kind: bytes) -> None:
    info = tarfile.TarInfo("tables/tides/00000001.msgpack.zst")
    info.type, info.linkname, info.mode = kind, "/etc/passwd", 0o600
    with pytest.raises(BackupError):
        read(info.tobuf(tarfile.USTAR_FORMAT) + signed(manifest_of()))


def test_absurd_sizes_are_refused_before_they_are_read() -> None:
    info = tarfile.TarInfo("tables/tides/00000001.msgpack.zst")
    info.mode = 0o600
    for size in (MOST_BYTES + 1, 2**40):
        info.size = size
        with pytest.raises(BackupError):
            read(info.tobuf(tarfile.GNU_FORMAT) + signed(manifest_of()))


@pytest.mark.parametrize("size_is_declared", [True, False], ids=["with its size", "without"])
def test_what_swells_is_refused(size_is_declared: bool) -> None:
    swelling = zstandard.ZstdCompressor(write_content_size=size_is_declared).compress(bytes(MOST_RAW + 1))
    assert len(swelling) < MOST_RAW // 1000
    with pytest.raises(DamageError, match="tables/tides"):
        read(signed(tides(swelling), ("tables/tides/00000001.msgpack.zst", swelling)))


@pytest.mark.parametrize(
    "value",
    [{"a": 1}, [[[1]]], [{}], [[["nested"] * 3]], [[msgspec.msgpack.Ext(1, b"x")]]],
    ids=["map", "list", "map in list", "nested", "extension"],
)
def test_what_is_no_row_is_refused(value: object) -> None:
    packed = zstandard.ZstdCompressor().compress(msgspec.msgpack.encode(value))
    with pytest.raises(DamageError, match="tables/tides"):
        read(signed(tides(packed), ("tables/tides/00000001.msgpack.zst", packed)))


def test_deep_nesting_is_refused() -> None:
    packed = zstandard.ZstdCompressor().compress(b"\x91" * 1_000_000)
    with pytest.raises(DamageError, match="tables/tides"):
        read(signed(tides(packed), ("tables/tides/00000001.msgpack.zst", packed)))


def test_a_manifest_that_promises_other_parts_is_refused() -> None:
    data, raw = pack([(1,)])
    name = "tables/tides/00000001.msgpack.zst"
    with pytest.raises(DamageError):
        read(signed(manifest_of(), (name, data)))
    with pytest.raises(DamageError):
        read(signed(tides(data, raw)))
    for wrong in (tides(data, raw, rows=2), tides(data, raw + 1)):
        with pytest.raises(DamageError):
            read(signed(wrong, (name, data)))
    assert read(signed(tides(data, raw), (name, data)))[1] == [[(1,)]]


def test_a_stream_that_claims_the_parts_of_another_is_refused() -> None:
    data, raw = pack([(1,)])
    name = "tables/tides/00000001.msgpack.zst"
    part = Part(name, len(data), raw, 1, hashlib.sha256(data).hexdigest())
    with pytest.raises(DamageError):
        read(signed(manifest_of(Stream("index", "tides", ["id"], [part])), (name, data)))
