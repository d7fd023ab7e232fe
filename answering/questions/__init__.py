"""What a question asks, before anything is read: its kind, its parts, its names, the type of its answer."""
