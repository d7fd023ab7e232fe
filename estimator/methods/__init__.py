"""The estimation methods."""
