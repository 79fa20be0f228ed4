"""Stores the bytes of transcripts in compressed blocks with hashes, and reads, checks and repairs them."""
