"""Answers from documents by debate: strategies are generators without I/O, and one driver runs them all.

Parameters of strategies and enumerations are in `answering.debates.schema`, the list of strategies in `strategies`.
"""
