"""Webhooks: what happens in a corpus is told to addresses outside, signed, once or more."""
