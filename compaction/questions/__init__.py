"""Several questions to one session at once, which share its prompt cache: a summary, notes, memories."""
