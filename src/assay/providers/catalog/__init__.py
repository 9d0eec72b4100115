"""Catalog: one provider per file; the baselines share one file."""
