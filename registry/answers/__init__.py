"""Questions answered: context, selection, readings, vote, debate, conflict score, stored result."""
