def cost_of(model, usage): return usage.input*1e-6
