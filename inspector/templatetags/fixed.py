"""Computes once what is the same on many pages: addresses without arguments, of which a page has dozens, and templates
made from a few values."""

from __future__ import annotations

from collections.abc import Hashable

from django import template
from django.template.base import Node, Parser, Token
from django.template.context import Context
from django.template.defaulttags import URLNode
from django.template.defaulttags import url as any_url
from django.utils.safestring import SafeString

from inspector.web.sized_cache import fragment

register = template.Library()


class FixedAddress(Node):
    def __init__(self, node: URLNode) -> None:
        self._node = node
        self._address: str | None = None

    def render(self, context: Context) -> str:
        if self._address is None:
            self._address = self._node.render(context)
        return self._address


@register.tag
def url(parser: Parser, token: Token) -> Node:
    node = any_url(parser, token)
    named = isinstance(node.view_name.var, str) and not node.view_name.filters
    return FixedAddress(node) if named and not (node.args or node.kwargs or node.asvar) else node


@register.simple_tag
def cached_fragment(name: str, **values: Hashable) -> SafeString:
    """Like `include … only` with plain values, but the result is reused for equal values."""
    return SafeString(fragment(name, **values))
