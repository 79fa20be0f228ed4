from __future__ import annotations

from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.transcripts.engine.image_size import fit_box, image_size

SEGMENT = b"\xff\xe1\x00\x08EXIF\0\0"
FRAME = b"\x08\x00\x64\x01\x2c\x03"  # 8 bits, 100 high, 300 wide, 3 colours
IMAGES = {
    "png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\x2c\0\0\0\x64\x08\x06\0\0\0",
    "gif": b"GIF89a\x2c\x01\x64\x00\xf7\0\0",
    "jpeg": b"\xff\xd8\xff\xe0\x00\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0" + SEGMENT + b"\xff\xc0\x00\x11" + FRAME,
    "progressive jpeg": b"\xff\xd8" + SEGMENT + b"\xff\xff\xc2\x00\x11" + FRAME,
    "webp": b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x2c\x01\x64\x00",
    "webp without loss": b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + (299 | 99 << 14).to_bytes(4, "little"),
    "webp with more": b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0"
    + (299).to_bytes(3, "little")
    + (99).to_bytes(3, "little"),
}


@pytest.mark.parametrize("kind", IMAGES)
def test_the_size_is_read_from_the_start_of_the_file(kind: str) -> None:
    assert image_size(b64encode(IMAGES[kind] + bytes(100)).decode()) == (300, 100)


@pytest.mark.parametrize("data", ["", "QUJD", "é", "====", b64encode(b"\x89PNG\r\n\x1a\n" + bytes(40)).decode()])
def test_what_does_not_tell_has_no_size(data: str) -> None:
    assert image_size(data) is None


@given(st.binary(max_size=200), st.sampled_from([b"", b"\xff\xd8", b"\xff\xd8\xff\xe0", b"RIFF....WEBP", b"GIF8"]))
def test_any_bytes_are_borne(data: bytes, start: bytes) -> None:
    size = image_size(b64encode(start + data).decode())
    assert size is None or min(size) > 0


def test_large_images_are_made_to_fit_and_small_ones_left() -> None:
    assert fit_box((3200, 1100), 320, 220) == (320, 110)
    assert fit_box((440, 2200), 320, 220) == (44, 220)
    assert fit_box((16, 16), 320, 220) == (16, 16)
    assert fit_box((100_000, 1), 320, 220) == (320, 1)
