"""Record ids in URLs. They come from transcripts and may contain any character, even slashes."""

from __future__ import annotations

from django.urls import register_converter


class AnyId:
    regex = r"[\s\S]+"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(AnyId, "any")
