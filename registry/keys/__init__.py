"""API keys: scopes, bounds, rates, quotas and sessions of browsers."""
