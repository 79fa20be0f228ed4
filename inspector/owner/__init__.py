"""Requests must prove that they come from the owner, who started this Lucid. Loopback proves nothing, because every
user of the machine can reach it."""
