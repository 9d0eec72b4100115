"""Result lists of evaluations: what is known about retrieved documents, for metrics that need no judgments."""
