"""The designs: one family per file."""
