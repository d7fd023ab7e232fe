"""What callers send, as typed and bounded models."""
