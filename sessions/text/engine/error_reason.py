"""The reason of an error of the operating system, to be put into a sentence."""

from __future__ import annotations


def reason_of(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
