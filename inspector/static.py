"""Static files served from where they are: no build step, and one URL per version, so that browsers cache them."""

from __future__ import annotations

import os
from functools import lru_cache
from hashlib import blake2b

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile

FOR_EVER = "max-age=31536000, public, immutable"


class VersionedStorage(StaticFilesStorage):
    """Adds a hash of the content to each URL, so that an upgrade shows at once."""

    def url(self, name: str | None) -> str:
        version = _version(name or "")
        return f"{super().url(name)}?v={version}" if version else super().url(name)


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc]
    """The files are small, so they are sent whole: an ASGI server would have to collect a streamed file anyway."""

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponse:
        answer = static_file.get_response(request.method, request.META)
        body = b""
        if answer.file is not None:
            with answer.file as file:
                body = file.read()
        response = HttpResponse(body, status=int(answer.status), headers=dict(answer.headers))
        if "v" in request.GET:
            response["Cache-Control"] = FOR_EVER
        return response


@lru_cache(maxsize=256)
def _version(name: str) -> str:
    path = finders.find(name)
    if not isinstance(path, str) or not os.path.isfile(path):
        return ""
    with open(path, "rb") as file:
        return blake2b(file.read(), digest_size=6).hexdigest()
