"""One debate about a question: its documents, its rounds, its report."""
