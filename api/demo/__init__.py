"""The main job shown on a corpus of our own, about an island that does not exist."""
