"""NumPy building blocks of the estimator: sorted votes, the vote table, segment maxima, incremental counts."""
