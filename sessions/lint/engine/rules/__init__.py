"""The rules, one family in each module. Each has a `check` that looks at a request and yields what it finds."""
