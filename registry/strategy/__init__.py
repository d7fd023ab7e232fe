"""Strategies: how an answer is made of what the selected sources published. Parameters in, a debate's record out."""
