"""pytrec_eval's interface over assay's engine: `import assay.compat.pytrec_eval as pytrec_eval`.

For valid input, keys, order and values are those of the original (0.5.11), except that scores are compared in float64.
`RelevanceEvaluator(..., float32=True)` truncates them first, as the original does. Where the original would give another
result without an error, a `DifferenceWarning` says so. `DIFFERENCES` lists all of them, and so does
docs/migration/pytrec_eval.md.
"""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
