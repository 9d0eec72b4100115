from assay.spark.evaluation import compare as compare
from assay.spark.evaluation import evaluate as evaluate
from assay.spark.scores import score_runs as score_runs
