"""Rules for English questions and passages, by which the compact reader takes or leaves what its model finds."""
