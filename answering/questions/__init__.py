"""The analysis of a question before anything is read: its kind, its parts, its names, the type of its answer."""
