"""Seed system Phentrieve: its functions over Chroma-shaped results, `from assay.compat.phentrieve import ndcg_at_k`.

The conventions are those of the original: precision ÷ what was retrieved within k, average precision ÷ min(k, expected),
binary relevance without `relevance_scores`. Where the original would give another result without an error,
a `DifferenceWarning` says so. `DIFFERENCES` lists all of them, and so does docs/migration/phentrieve.md.
"""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
