"""API keys, their daily limits, and the charging of language models to them."""
