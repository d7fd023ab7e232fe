"""Visibility: documents that are for some groups of people, and all that was read in them."""
