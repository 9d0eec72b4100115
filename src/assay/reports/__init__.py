"""[catalog RENDERER] Results as text: one format per file."""
