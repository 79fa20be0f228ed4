"""Several questions to one session at once, sharing its prompt cache: a summary, notes, memories."""
