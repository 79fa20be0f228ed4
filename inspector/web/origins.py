"""Whether a request comes from one of Lucid's pages. Browsers say so in headers that pages cannot forge."""

from __future__ import annotations

OWN_PAGES = frozenset({"same-origin", "none"})


def is_own_origin(*, site: str | None, origin: str | None, ours: str) -> bool:
    """`site`: the header Sec-Fetch-Site; `origin`: the header Origin. A client that sends neither is no browser."""
    return (site is None or site in OWN_PAGES) and (origin is None or origin == ours)
