"""TREC: topics and documents in the forms that TREC distributes."""
