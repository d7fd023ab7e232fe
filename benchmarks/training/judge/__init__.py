"""Training of the compact judge."""
