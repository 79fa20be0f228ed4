"""Which record follows which: branches, compactions, forks, sub-agents."""
