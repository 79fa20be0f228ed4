"""How runs ask a model: within the budget, recorded, turn by turn."""
