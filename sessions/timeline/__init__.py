"""The timeline: cards, ruler, one entry."""
