"""Model files: what must be right in a file of trees before a library loads it."""
