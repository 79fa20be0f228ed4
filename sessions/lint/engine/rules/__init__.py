"""The rules, one family in each module. Each module has a `check` that yields its findings for a request."""
