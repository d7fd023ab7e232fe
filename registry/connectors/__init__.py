"""Connectors: documents come from folders, tables, feeds and sites, and are kept in step with these."""
