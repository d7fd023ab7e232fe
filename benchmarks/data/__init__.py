"""Readers of the public data sets that several benchmarks and the training share."""
