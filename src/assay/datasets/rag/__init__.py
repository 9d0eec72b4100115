"""Tables of RAG tools: their columns, and how their records become a benchmark."""
