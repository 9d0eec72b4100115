"""The web pages, one per file; each file ends with the record of its page."""
