"""Images and documents: the formats and sizes that the API accepts."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.request_reader import ParsedRequest, api_path_of, text_of

IMAGE_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
MAX_BYTES = 5 * 1024 * 1024
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_BEGINNINGS = ((b"\x89PNG", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))


def check(request: ParsedRequest) -> Iterator[Finding]:
    for path, block in _media(request):
        source = block.get("source")
        if not isinstance(source, Mapping):
            yield _refusal(f"{path}.source", f"The {block['type']} has no source.", "Give it one, or leave it out.")
        elif block["type"] == "image":
            yield from _check_image(f"{path}.source", source)
        else:
            yield from _check_document(f"{path}.source", source)


def _media(request: ParsedRequest) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for spot in request.spots:
        if spot.type in ("image", "document"):
            yield spot.path, spot.block
        content = spot.block.get("content") if spot.type == "tool_result" else None
        for index, part in enumerate(content if isinstance(content, list) else []):
            if isinstance(part, Mapping) and part.get("type") in ("image", "document"):
                yield f"{spot.path}.content[{index}]", part


def _check_image(path: str, source: Mapping[str, Any]) -> Iterator[Finding]:
    if source.get("type") != "base64":
        return
    kind, data = source.get("media_type"), text_of(source.get("data"))
    if kind not in IMAGE_TYPES:
        words = f"{api_path_of(path)}.base64.media_type: Input should be " + ", ".join(
            f"'{name}'" for name in IMAGE_TYPES[:-1]
        )
        words += f" or '{IMAGE_TYPES[-1]}'"
        yield _refusal(f"{path}.media_type", "Images are JPEG, PNG, GIF or WebP.", "Convert the image.", words)
    if not is_base64(data):
        yield _refusal(
            f"{path}.data", "The image is not in base64.", "Encode it.", f"{api_path_of(path)}: invalid base64 data"
        )
        return
    size = len(data)
    if size > MAX_BYTES:
        words = f"{api_path_of(path)}.base64: image exceeds 5 MB maximum: {size} bytes > {MAX_BYTES} bytes"
        yield _refusal(f"{path}.data", "The image has more than 5 MB.", "Scale it down.", words)
    looks = _detect_type(data)
    if kind in IMAGE_TYPES and looks and looks != kind:
        yield _refusal(
            f"{path}.media_type",
            f"The image is called {kind} and looks like {looks}.",
            f"Call it {looks}.",
            f"The image was specified using the {kind} media type, but the image appears to be a {looks} image",
        )


def _check_document(path: str, source: Mapping[str, Any]) -> Iterator[Finding]:
    kind, media, data = source.get("type"), source.get("media_type"), source.get("data")
    if kind == "base64":
        if media != "application/pdf":
            yield _refusal(f"{path}.media_type", "A document in base64 has to be a PDF.", "Send its text instead.")
        if not is_base64(data):
            yield _refusal(f"{path}.data", "The document is not in base64.", "Encode it.")
    elif kind == "text":
        if media != "text/plain":
            yield _refusal(f"{path}.media_type", "A document of text is text/plain.", "Call it text/plain.")
        if not isinstance(data, str) or not data.strip():
            yield _refusal(f"{path}.data", "The document is empty.", "Leave it out.")


def is_base64(data: object) -> bool:
    return isinstance(data, str) and len(data) % 4 == 0 and bool(_BASE64.fullmatch(data))


def _detect_type(data: str) -> str:
    try:
        beginning = base64.b64decode(data[:16])
    except (binascii.Error, ValueError):
        return ""
    if beginning[:4] == b"RIFF" and beginning[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _BEGINNINGS if beginning.startswith(start)), "")


def _refusal(path: str, message: str, repair: str, api_error: str = "") -> Finding:
    return Finding("media", Severity.REFUSED, path, message, repair, api_error)
