"""ConflictScore of any response, against documents that are sent or retrieved."""
