"""The commands that stay until they are stopped."""
