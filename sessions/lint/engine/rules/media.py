"""Images and documents: the formats and sizes that the API takes."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.reading import Request, text_of

IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
MOST_BYTES = 5 * 1024 * 1024
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_BEGINNINGS = ((b"\x89PNG", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))


def check(request: Request) -> Iterator[Finding]:
    for path, block in _media(request):
        source = block.get("source")
        if not isinstance(source, Mapping):
            yield _refused(f"{path}.source", f"The {block['type']} has no source.", "Give it one, or leave it out.")
        elif block["type"] == "image":
            yield from _image(f"{path}.source", source)
        else:
            yield from _document(f"{path}.source", source)


def _media(request: Request) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for spot in request.spots:
        if spot.type in ("image", "document"):
            yield spot.path, spot.block
        content = spot.block.get("content") if spot.type == "tool_result" else None
        for at, part in enumerate(content if isinstance(content, list) else []):
            if isinstance(part, Mapping) and part.get("type") in ("image", "document"):
                yield f"{spot.path}.content[{at}]", part


def _image(path: str, source: Mapping[str, Any]) -> Iterator[Finding]:
    if source.get("type") != "base64":
        return
    kind, data = source.get("media_type"), text_of(source.get("data"))
    if kind not in IMAGES:
        words = f"{_dotted(path)}.base64.media_type: Input should be " + ", ".join(f"'{one}'" for one in IMAGES[:-1])
        words += f" or '{IMAGES[-1]}'"
        yield _refused(f"{path}.media_type", "Images are JPEG, PNG, GIF or WebP.", "Convert the image.", words)
    if not is_base64(data):
        yield _refused(
            f"{path}.data", "The image is not in base64.", "Encode it.", f"{_dotted(path)}: invalid base64 data"
        )
        return
    size = len(data)
    if size > MOST_BYTES:
        words = f"{_dotted(path)}.base64: image exceeds 5 MB maximum: {size} bytes > {MOST_BYTES} bytes"
        yield _refused(f"{path}.data", "The image has more than 5 MB.", "Scale it down.", words)
    looks = _looks_like(data)
    if kind in IMAGES and looks and looks != kind:
        yield _refused(
            f"{path}.media_type",
            f"The image is called {kind} and looks like {looks}.",
            f"Call it {looks}.",
            f"The image was specified using the {kind} media type, but the image appears to be a {looks} image",
        )


def _document(path: str, source: Mapping[str, Any]) -> Iterator[Finding]:
    kind, media, data = source.get("type"), source.get("media_type"), source.get("data")
    if kind == "base64":
        if media != "application/pdf":
            yield _refused(f"{path}.media_type", "A document in base64 has to be a PDF.", "Send its text instead.")
        if not is_base64(data):
            yield _refused(f"{path}.data", "The document is not in base64.", "Encode it.")
    elif kind == "text":
        if media != "text/plain":
            yield _refused(f"{path}.media_type", "A document of text is text/plain.", "Call it text/plain.")
        if not isinstance(data, str) or not data.strip():
            yield _refused(f"{path}.data", "The document is empty.", "Leave it out.")


def is_base64(data: object) -> bool:
    return isinstance(data, str) and len(data) % 4 == 0 and bool(_BASE64.fullmatch(data))


def _looks_like(data: str) -> str:
    try:
        beginning = base64.b64decode(data[:16])
    except (binascii.Error, ValueError):
        return ""
    if beginning[:4] == b"RIFF" and beginning[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _BEGINNINGS if beginning.startswith(start)), "")


def _dotted(path: str) -> str:
    return path.replace("[", ".").replace("]", "")


def _refused(path: str, message: str, repair: str, api_error: str = "") -> Finding:
    return Finding("media", Severity.REFUSED, path, message, repair, api_error)
