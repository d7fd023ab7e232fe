"""Answer equivalence: answers that mean the same fall into one answer class."""
