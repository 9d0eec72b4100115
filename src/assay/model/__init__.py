"""THE NOUNS: runs, judgments, graded runs, scores and policies. NumPy only, no I/O."""
