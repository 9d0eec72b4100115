"""Times of datasets: parsed from records, and as the scope of each query."""
