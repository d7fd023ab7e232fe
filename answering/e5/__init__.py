"""multilingual-e5-small (Wang et al. 2024, arXiv:2402.05672) with weights of 4 bits, and what is trained over it."""
