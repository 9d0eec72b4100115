"""Shared: what the requests of all users share: the open store, and caches of values."""
