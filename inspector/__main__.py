"""`python -m inspector` is `lucid` where the script is not installed."""

from __future__ import annotations

from inspector.cli import main

main()
