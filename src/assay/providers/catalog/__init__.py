"""Catalog: one provider per file, and the baselines together."""
