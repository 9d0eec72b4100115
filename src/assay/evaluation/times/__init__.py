"""Times of evaluations: the ages of documents, and runs without documents from the future."""
