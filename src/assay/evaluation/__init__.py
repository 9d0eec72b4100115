"""From queries, ground truth and rankings to a Result."""
