"""Ratios against floors and peers, measured in one run on a corpus of our own."""
