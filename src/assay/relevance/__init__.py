"""Relevance: who decides which retrieved documents answer a query. One resolver per file; each ends in grades."""
