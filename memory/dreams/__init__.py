"""Dreams and tidies: gates, lock, schedule, pages."""
