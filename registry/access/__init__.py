"""API keys, their quotas, and the metering of language models against them."""
