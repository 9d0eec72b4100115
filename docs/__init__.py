"""The documentation, and `python -m docs.generate`, which writes the pages that come from the catalogs."""
