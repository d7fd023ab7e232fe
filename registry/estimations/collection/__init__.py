"""The votes of a run: its queries cut into pieces, each read by any worker, votes of an earlier run reused."""
