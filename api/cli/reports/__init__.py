"""Reports for people; with `--json` commands print what HTTP sends instead."""
