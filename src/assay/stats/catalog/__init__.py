"""Statistical tests: one family per file, found by their records."""
