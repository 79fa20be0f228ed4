"""Embeds pictures in an exported page."""

from __future__ import annotations

from base64 import b64encode

from sessions.timeline.engine.cards.card import Picture
from sessions.timeline.engine.cards.pictures import load_image
from sessions.transcripts.engine.rows import Record

MAX_PICTURE = 2 * 1024 * 1024
"""Larger ones are left out, with a note, so that browsers can open the page."""


def data_uri(picture: Picture, record: Record) -> str:
    """The picture as a data: address; empty if it is too large, or a browser must not show it."""
    image = load_image(record, picture.n) if picture.bytes <= MAX_PICTURE else None
    return f"data:{image[0]};base64,{b64encode(image[1]).decode()}" if image else ""
