"""What the real client sent, held against what Lucid says that it sent. `make truth` records and compares anew."""
