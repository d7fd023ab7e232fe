"""Text of any script: its characters and words, its sentences, and its language."""

from answering.text.normalisation import compose, fold, squad_normalise, tokenize, without_accents, word_set

__all__ = ["compose", "fold", "squad_normalise", "tokenize", "without_accents", "word_set"]
