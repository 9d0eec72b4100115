"""Comparison: systems on the same queries, side by side; who is better, by how much, and how sure that is."""
