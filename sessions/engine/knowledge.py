K=frozenset()
def unknowns(record): return ()
