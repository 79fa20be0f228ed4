"""Which memories a message brings into the context."""
