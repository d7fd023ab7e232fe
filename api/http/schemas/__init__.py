"""What the service sends, as pydantic models: one file a noun."""
