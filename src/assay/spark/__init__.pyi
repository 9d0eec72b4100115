from assay.spark.evaluation import compare as compare
from assay.spark.evaluation import evaluate as evaluate
