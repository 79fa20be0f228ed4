"""Many readers at once, and a few who mean harm: what a real server makes of them. `python -m benchmarks.load`."""
