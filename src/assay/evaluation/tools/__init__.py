"""Tools: the conventions of other programs for evaluation and training, as profiles."""
