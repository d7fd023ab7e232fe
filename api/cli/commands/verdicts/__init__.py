"""Commands by which people say what is right."""
