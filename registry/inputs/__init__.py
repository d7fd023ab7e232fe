"""What callers send, as validated models."""
