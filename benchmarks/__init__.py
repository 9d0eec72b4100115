"""Timed comparisons with the peers: ratios from one run on the same seeded data."""
