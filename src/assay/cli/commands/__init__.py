"""Commands: one per file, found by their records."""
