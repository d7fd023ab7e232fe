"""Selection of sources, the weighted vote on their readings, and how easily it flips."""
