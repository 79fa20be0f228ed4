"""Text of memory files in templates: as untrusted as that of a transcript, and with secrets in it."""

from __future__ import annotations

from collections.abc import Iterable

from django import template
from django.urls import reverse
from django.utils.safestring import SafeString

from inspector.web.sized_cache import fragment
from memory.files.selectors.topics import Topic
from memory.models import Directory
from sessions.secrets.engine import mask
from sessions.templatetags.lucid import ago
from sessions.text.engine.invisible_characters import spell_invisible

register = template.Library()


@register.simple_tag
def topic_rows(topics: Iterable[Topic], directory: Directory) -> SafeString:
    """The rows of a directory's topics. Each is cached by the values it is made from."""
    addresses = {name: reverse(f"memory-{name}", args=[directory.pk]) for name in ("file", "findings")}
    return SafeString("".join([_topic_row(topic, addresses["file"], addresses["findings"]) for topic in topics]))


def _topic_row(topic: Topic, file_url: str, findings_url: str) -> str:
    file = topic.file
    return fragment(
        "memory/files/_topic.html",
        file=file.name,
        title=file.title,
        type=file.type,
        kind=file.kind,
        written_type=file.written_type,
        description=file.description,
        problem=file.problems[0].message if file.problems else "",
        size=file.size,
        modified=file.modified_at,
        modified_ago=ago(file.modified_at),
        position=topic.position,
        uses=topic.uses,
        last_at=topic.last_at,
        last_ago=ago(topic.last_at),
        errors=topic.errors,
        warnings=topic.warnings,
        notes=topic.notes,
        file_url=file_url,
        findings_url=findings_url,
    )


@register.filter
def masked(text: str) -> str:
    """The text with secrets masked and invisible characters spelled out."""
    return spell_invisible(mask(str(text)))
