"""All metrics: one family per file. They are found by their records."""
