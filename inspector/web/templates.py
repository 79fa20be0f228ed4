"""Templates are indented for those who read them; pages do without."""

from __future__ import annotations

import re

from django.template import Origin
from django.template.loaders import filesystem

INDENTATION = re.compile(r"\n[ \t]+")


class Loader(filesystem.Loader):
    """Removes the indentation once, when a template is compiled. Line breaks stay, so that nothing else changes."""

    def get_contents(self, origin: Origin) -> str:
        return INDENTATION.sub("\n", super().get_contents(origin))
