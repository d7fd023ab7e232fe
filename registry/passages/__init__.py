"""The search index. Its SQL is in `store`, apart from the schemas, which clients import too."""
