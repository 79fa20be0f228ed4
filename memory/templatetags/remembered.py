"""Words out of memory files in templates: as untrusted as those of a transcript, and with secrets among them."""

from __future__ import annotations

from django import template

from sessions.secrets.engine import mask
from sessions.text.engine.invisible_characters import visible

register = template.Library()


@register.filter
def masked(text: str) -> str:
    """Secrets masked, what is not seen spelled out."""
    return visible(mask(str(text)))
