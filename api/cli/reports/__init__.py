"""What is printed for a person; with `--json` commands print what HTTP sends instead."""
