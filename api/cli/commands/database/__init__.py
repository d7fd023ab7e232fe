"""Commands about the whole database."""
