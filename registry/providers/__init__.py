"""The readers, judges, embedders and chat models that the settings name."""
