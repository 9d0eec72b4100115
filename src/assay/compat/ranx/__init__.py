"""ranx's interface over assay's engine: `import assay.compat.ranx as ranx`, or `from assay.compat.ranx import Qrels, Run`.

Names, arguments, metrics and results are those of the original (0.3.21), and so are its conventions: equal scores of a
`Run` are ordered by its sort, `rbp` uses grades, and `-l2` also changes nDCG. Where ranx would give another result without
an error, a `DifferenceWarning` says so. `DIFFERENCES` lists all of them, and so does docs/migration/ranx.md.

`plot`, `normalize`, ranxhub and LZ4 files are not supported; `threads` and `show_progress` are accepted and ignored.
"""

from assay.lazy import front_door

ABSENT = {
    "normalize": "fuse(runs, norm='min-max') normalises scores before it fuses them",
    "plot": "assay plot draws results as charts",
}
"""Functions of the original that do not exist here → what to use instead."""

__getattr__, __dir__, __all__ = front_door(__name__, ABSENT)
