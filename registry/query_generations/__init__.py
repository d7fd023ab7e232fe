"""Queries written from documents: facts that several sources state, and a question that each of them answers."""
