"""Topics of queries, given or found by their embeddings, and reliability by topic."""
