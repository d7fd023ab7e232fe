"""What a source says on a query, read once and kept; and what people found misread."""
