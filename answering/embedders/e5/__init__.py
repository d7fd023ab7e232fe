"""The embedder of many languages: multilingual-e5-small (Wang et al. 2024, arXiv:2402.05672), weights of 4 bits."""

from answering.embedders.e5.embedder import E5, E5Embedder

__all__ = ["E5", "E5Embedder"]
