"""Bodies of requests and responses that are streamed."""
