"""The mechanisms that shape a context, and the pipeline that runs them, as a library."""
