"""Search over all sources, weighed by their reliability."""
