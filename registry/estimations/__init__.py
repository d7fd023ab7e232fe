"""Estimation runs: votes collected, reliabilities estimated from them, the run stored. Stage 1 of RA-RAG."""
