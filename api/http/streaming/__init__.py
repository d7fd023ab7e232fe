"""Bodies that are read, or written, bit by bit."""
