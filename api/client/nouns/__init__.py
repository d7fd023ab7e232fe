"""The calls of the service, one file a noun; `api.client.calls` has all of them."""
