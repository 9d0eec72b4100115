"""What the drop-in of pytrec_eval (0.5.11) does differently on purpose."""

from __future__ import annotations

from assay.compat.differences import Difference, Differences
from assay.errors import BadParameter, DataError, UnknownName

DIFFERENCES = Differences(
    "pytrec_eval",
    "pytrec_eval",
    Difference(
        "float32",
        "scores of a ranking differ only after the 7th digit, and this changes a value",
        "ties them, as float32",
        "compares them as float64; `RelevanceEvaluator(…, float32=True)` ties them as before",
    ),
    Difference(
        "empty ranking",
        "`num_rel` or a `gm_…` measure is computed for a query with an empty ranking, or with negative grades alone",
        "gives 0",
        "gives the number of relevant documents, and the logarithm of 0.00001",
    ),
    Difference(
        "nothing judged",
        "`iprec_at_recall_0.00` or `11pt_avg` is computed for judged documents only, and no judged document is retrieved",
        "gives nan",
        "gives 0",
    ),
    Difference(
        "parameter",
        "a measure has a parameter that it does not use, such as `recip_rank_10`, `map_10` or `utility_1,2,3,4`",
        "ignores it, or sorts the weights",
        "raises `BadParameter`; `map_cut_10` has a cutoff",
        errors=(BadParameter,),
    ),
    Difference(
        "rest of a name",
        "text comes after the parameter of a measure, such as `P_5x`",
        "ignores the text",
        "raises `UnknownName`",
        errors=(UnknownName,),
    ),
    Difference(
        "prefs",
        "a measure of preferences is computed, such as `prefs_simp` or `map_avgjg`",
        "lists it, but does not compute it",
        "raises `UnknownName`",
        errors=(UnknownName,),
    ),
    Difference(
        "nan",
        "a score is nan",
        "places the document at any rank",
        "raises `DataError`",
        errors=(DataError,),
    ),
)
