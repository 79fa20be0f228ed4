"""The mark beside a word that links to its explanation."""

from __future__ import annotations

from django import template

from inspector.docs.selectors import docs_address, has_docs

register = template.Library()


@register.inclusion_tag("_help_link.html")
def help_link(section: str, about: str) -> dict[str, str]:
    """`section`: a document and one of its headings, such as `cache#causes`. Shows nothing if there are no
    documents."""
    return {"address": docs_address(section), "about": about}


@register.simple_tag
def are_there_docs() -> bool:
    return has_docs()
