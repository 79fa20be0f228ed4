"""Startup: the home, the database, the address, and the processes of `serve`."""
