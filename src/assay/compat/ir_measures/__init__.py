"""assay inside ir_measures: after `register()`, assay computes `ir_measures.calc_aggregate(…)`.

    import ir_measures
    from assay.compat.ir_measures import provider, register
    provider().calc_aggregate([ir_measures.nDCG@10], qrels, run)     assay alone
    register()                                                       assay first, its own providers for the rest

The other direction needs nothing from this module: `assay.evaluate(qrels, run, [nDCG@10, AP(rel=2)])` reads measure objects.
The provider uses assay's conventions, which are the same for every measure. Differences from ir_measures 0.4.3:

    input                                       ir_measures                               here
    equal scores                                by another rule for each provider:        always by document id, descending
                                                ascending for RR@k, Judged and Compat
    scores that differ after the 7th digit      equal for trec_eval's measures            compared in float64
    `ERR@k`, `nDCG(dcg='exp-log2')`             needs perl, 5 digits, query ids that      all digits, any query id;
                                                are numbers, grades up to 4               the scale ends at the highest grade
    RBP, BPM, SDCG, INST, INSQ, NERR…           needs cwl-eval, and a max_rel             max_rel may be left out
    `RBP@k`, `RBP` without rel                  unsupported                               any grade above 0 is relevant
    `NumQ`, `NumRel`, a query without results   not counted                               counted
    `Judged`, a query with an empty ranking     ZeroDivisionError                         0
    every grade of a query negative             segmentation fault                        scored like any other query
    `P@0`                                       aborts the interpreter                    BadParameter
    grades with a fraction, whole-number ids    TypeError                                 read
    a document twice for a query                the last counts, or both                  DataError that names it
    diversity measures                          needs pyndeval; cutoffs up to 20          any cutoff
    `ERR_IA@1`, `alpha_DCG@1`                   not divided by the number of subtopics    divided, as at any cutoff
    the same, judgments without subtopics       a warning, and a number                   DataError
"""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
