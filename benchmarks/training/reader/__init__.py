"""Training of the compact reader."""
