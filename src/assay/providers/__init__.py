"""Providers: retrievers under test. One per file; each ends in its PROVIDER record."""
