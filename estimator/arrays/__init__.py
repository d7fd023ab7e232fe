"""Votes as arrays: packed and sorted, in blocks, with the largest of each segment."""
