"""Ways to fuse: one family per file, found by their records."""
