"""Sources, their reliabilities, copy groups, overrides and ratings."""
