"""assay inside ir_measures: after `register()`, assay computes `ir_measures.calc_aggregate(…)`.

    import ir_measures
    from assay.compat.ir_measures import provider, register
    provider().calc_aggregate([ir_measures.nDCG@10], qrels, run)     assay alone
    register()                                                       assay first, its own providers for the rest

The other direction needs nothing from this module: `assay.evaluate(qrels, run, [nDCG@10, AP(rel=2)])` reads measure objects.
The provider uses assay's conventions, which are the same for every measure. Where ir_measures would give another result
without an error, a `DifferenceWarning` says so. `DIFFERENCES` lists all of them, and so does
docs/migration/ir_measures.md.
"""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
