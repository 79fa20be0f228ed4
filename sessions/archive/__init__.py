"""The bytes of transcripts, compressed, each block with its hash: read, checked and repaired."""
