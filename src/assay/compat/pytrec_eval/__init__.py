"""pytrec_eval's interface over assay's engine: `import assay.compat.pytrec_eval as pytrec_eval`.

For valid input, keys, order and values are those of the original (0.5.11), except that scores are compared in float64.
`RelevanceEvaluator(..., float32=True)` truncates them first, as the original does. Differences:

    input                                      pytrec_eval                             here
    a cutoff of 0 (`P_0`), `ndcg_10`, `G_1`    aborts the interpreter                  BadParameter
    a parameter where none is read             dropped: `recip_rank_10`, `map_10`      BadParameter
    weights (`utility_1,2,3,4`)                sorted, equal ones dropped              BadParameter
    text after a parameter (`P_5x`)            dropped                                 UnknownName
    any other unknown measure                  ValueError                              UnknownName (a ValueError)
    relevance_level below 1                    TypeError or segmentation fault         BadParameter; 0.5 is allowed
    every grade of a query negative            segmentation fault, or 0                scored like any other query
    a grade of millions                        hangs                                   scored
    a query with an empty ranking              num_rel, gm_* 0, or segmentation fault  true num_rel, gm_* ln 0.00001
    nothing judged retrieved, judged only      iprec_at_recall_0.00, 11pt_avg are nan  0
    `runid`, `relstring`                       a pointer read as a float, often 0.0    0.0
    nan as a score                             placed anywhere                         DataError
    np.float32 scores, np.int64, float grades  TypeError                               as the numbers they are
    whole numbers as ids                       TypeError                               as text: 7 is "7"
    mappings other than dict                   TypeError                               read
    a string as measures                       read character by character             one measure
    ids with NUL or a lone surrogate           garbage or segmentation fault           ids like any other
    a blank line in a file                     ValueError                              skipped
    a document twice for a query in a file     AssertionError                          DataError that names the line
    no values to aggregate                     nan and a warning                       nan
"""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
