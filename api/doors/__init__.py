"""Credence for clients that exist: chat front ends, agents and other people's retrieval."""
