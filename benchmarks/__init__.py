"""What Credence costs and how well it does, measured. `python -m benchmarks --quick` runs everything."""
