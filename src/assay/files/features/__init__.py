"""Features: files with labels and numbered features of documents (LETOR, SVMlight), and scores for their lines."""
