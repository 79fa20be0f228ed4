"""Sub-agents of a session: the tree, what they wrote to each other, how they ended, what they are doing."""
