"""What a transcript is made of: ids, flags, marks, roles, messages; and how one is looked up."""
