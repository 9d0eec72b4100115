"""Spark: scores runs that are tables in Spark, with the metrics, intervals and comparisons of assay.

`evaluate(qrels, frame, metrics)` returns an ordinary `Result`. `score_runs` scores many runs and leaves the scores in Spark.
Sessions of Spark Connect work as well. Needs the extra `spark`; the workers need assay, too.
"""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
