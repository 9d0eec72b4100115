"""ranx's interface over assay's engine: `import assay.compat.ranx as ranx`, or `from assay.compat.ranx import Qrels, Run`.

Names, arguments, metrics and results are those of the original (0.3.21), and so are its conventions: equal scores of a
`Run` are ordered by its sort, `rbp` uses grades, and `-l2` also changes nDCG. Where ranx would give another result without
an error, a `DifferenceWarning` says so. Differences:

    input                                        ranx                                    here
    two dicts with queries in different order    paired by position                      paired by query id
    queries that only one side has               AssertionError; make_comparable         DataError; make_comparable is for
                                                 changes the run, is ignored for dicts   dicts too, and changes nothing
    grades with a fraction                       truncated: 0.7 is 0                     unchanged; above 0 is relevant
    bpref, nothing judged non-relevant           nan                                     trec_eval's value
    bpref, a query without a relevant document   0 for queries after it                  0 for that query
    `r-precision@5`, `bpref@5`                   the cutoff is dropped                   BadParameter
    any other name of an assay metric            ValueError                              scored, if its summary is a mean
    arrays with judgments in any order           nDCG by the order of the rows           sorted by grade
    one metric with a cutoff, per query          KeyError                                its scores
    Fisher's test                                p can be 0, and changes from call       (1 + extreme) ÷ (1 + draws), exact,
                                                 to call                                 and the same for the same seed
    Tukey's test                                 as if queries differed between runs     two-way: the same queries
    identical runs                               p is nan                                p is 1
    two runs of one name in a comparison         one replaces the other                  DataError
    27 runs in a comparison                      IndexError                              aa, ab …
    fusion of runs with different queries        AssertionError                          a missing query counts as empty
    min-max of one document, or of equal scores  0                                       1
    equal scores after fusion                    in no defined order                     by document id, descending
    weights that add up to 1 up to rounding      not tried by optimize_fusion            tried
    LaTeX                                        escapes only _ in names                 escapes all; another caption
    a document twice in a file                   the last line counts                    DataError that names the line
    DataFrames of pandas 3, polars, Arrow        fail                                    read
    the first call                               compiles for a minute                   does not

`plot`, `normalize`, ranxhub and LZ4 files are not supported; `threads` and `show_progress` are accepted and ignored.
"""

from assay.lazy import front_door

ABSENT = {
    "normalize": "fuse(runs, norm='min-max') normalises scores before it fuses them",
    "plot": "assay plot draws results as charts",
}
"""Functions of the original that do not exist here → what to use instead."""

__getattr__, __dir__, __all__ = front_door(__name__, ABSENT)
