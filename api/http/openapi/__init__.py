"""What the OpenAPI document says beyond what FastAPI finds out by itself."""
