"""Seed system memorybench: its metric classes and registry, `from assay.compat.memorybench import NDCGAtKMetric`.

`compute(results)` reads EvalResult dictionaries (`expected`, `actual`, `retrievedContext`, `metadata` in camelCase) and
returns `{"name", "value", "details"}`. Relevance is decided for each query by the ids in its metadata, otherwise by
a pack, otherwise by evidence, otherwise by the words that a context shares with the expected answer. Where memorybench
would give another result without an error, a `DifferenceWarning` says so. `DIFFERENCES` lists all of them, and so does
docs/migration/memorybench.md.
"""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
