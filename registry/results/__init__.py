"""What the service stores and returns, as frozen models."""
