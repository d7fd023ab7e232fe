"""Events of long work, which can be followed, and the audit log."""
