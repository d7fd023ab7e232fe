"""Debates beside baselines on ambiguous questions with misinformation and noise: what is right, what it costs."""
