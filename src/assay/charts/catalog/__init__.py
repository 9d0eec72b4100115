"""Chart definitions: one family per file."""
