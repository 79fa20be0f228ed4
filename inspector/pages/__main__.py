"""python -m inspector.pages: a process that makes pages. The server starts it; alone it has nothing to do."""

from __future__ import annotations

import os

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "inspector.settings")
    django.setup(set_prefix=False)
    from inspector.pages.page_server import main

    main()
