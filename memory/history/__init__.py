"""Every version of every memory file, who wrote it, and undo."""
