from assay.spark.addresses import shown_address as shown_address
from assay.spark.evaluation import compare as compare
from assay.spark.evaluation import evaluate as evaluate
from assay.spark.evaluation import results_of as results_of
from assay.spark.judgments import collected_judgments as collected_judgments
from assay.spark.request import Request as Request
from assay.spark.scores import score_runs as score_runs
from assay.spark.session import is_table as is_table
from assay.spark.session import open_session as open_session
from assay.spark.session import read_table as read_table
from assay.spark.session import spark_errors as spark_errors

__all__ = ["compare", "evaluate", "score_runs"]
