"""The pages that people read, one per file; each file ends in the record of its page."""
