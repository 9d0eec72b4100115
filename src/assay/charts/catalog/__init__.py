"""Charts: one family per file, found by their records."""
