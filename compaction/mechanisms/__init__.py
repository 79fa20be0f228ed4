"""The mechanisms that shape a context, and the pipeline of them: a library."""
