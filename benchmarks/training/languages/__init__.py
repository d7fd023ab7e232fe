"""Training of a reader of many languages over multilingual-e5-small."""
