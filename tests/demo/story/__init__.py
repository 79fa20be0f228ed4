"""The demo as a story: a small builder and, per session, the words, code and outputs written by hand."""
