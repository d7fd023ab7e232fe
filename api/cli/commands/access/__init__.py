"""Commands on who may do what, and who did."""
