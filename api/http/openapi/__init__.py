"""Additions to the OpenAPI document that FastAPI does not find by itself."""
