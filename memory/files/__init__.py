"""Memory directories and their files: reading, editing, pages."""
