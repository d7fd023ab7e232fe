"""All SQL on passages: their search by words and embeddings, the values that they state, how they are written."""
