"""The parts of a transcript: ids, flags, marks, roles, messages; and how to look one up."""
