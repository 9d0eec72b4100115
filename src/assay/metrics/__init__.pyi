from assay.metrics._bands import N_SAMPLED as N_SAMPLED
from assay.metrics._bands import SEED as SEED
from assay.metrics._bands import TieBand as TieBand
from assay.metrics._bands import tie_band as tie_band
from assay.metrics._batch import BatchEvaluator as BatchEvaluator
from assay.metrics._describe import describe as describe
from assay.metrics._describe import describe_all as describe_all
from assay.metrics._describe import explain as explain
from assay.metrics._describe import explain_group as explain_group
from assay.metrics._describe import list_all as list_all
from assay.metrics._describe import range_of as range_of
from assay.metrics._describe import written as written
from assay.metrics._describe_question import describe_question as describe_question
from assay.metrics._describe_question import explain_question as explain_question
from assay.metrics._find_questions import find_questions as find_questions
from assay.metrics._find_questions import read_as as read_as
from assay.metrics._functions import Relevant as Relevant
from assay.metrics._functions import average_precision_at_k as average_precision_at_k
from assay.metrics._functions import binary_to_graded as binary_to_graded
from assay.metrics._functions import dcg_at_k as dcg_at_k
from assay.metrics._functions import f1_at_k as f1_at_k
from assay.metrics._functions import grade_query as grade_query
from assay.metrics._functions import hit_rate_at_k as hit_rate_at_k
from assay.metrics._functions import mean_average_precision_at_k as mean_average_precision_at_k
from assay.metrics._functions import mean_mrr_at_k as mean_mrr_at_k
from assay.metrics._functions import mean_ndcg_at_k as mean_ndcg_at_k
from assay.metrics._functions import mean_precision_at_k as mean_precision_at_k
from assay.metrics._functions import mean_recall_at_k as mean_recall_at_k
from assay.metrics._functions import mrr_at_k as mrr_at_k
from assay.metrics._functions import ndcg_at_k as ndcg_at_k
from assay.metrics._functions import precision_at_k as precision_at_k
from assay.metrics._functions import recall_at_k as recall_at_k
from assay.metrics._functions import score_query as score_query
from assay.metrics._groups import GROUPS as GROUPS
from assay.metrics._lookup import find_metric as find_metric
from assay.metrics._lookup import find_metrics as find_metrics
from assay.metrics._lookup import recorded_metric as recorded_metric
from assay.metrics._metric import BoundMetric as BoundMetric
from assay.metrics._metric import Metric as Metric
from assay.metrics._overlap import token_f1 as token_f1
from assay.metrics._own import metric as metric
from assay.metrics._own import unknown_function as unknown_function
from assay.metrics._param import GAIN_LEVEL as GAIN_LEVEL
from assay.metrics._param import REL as REL
from assay.metrics._parse import Asked as Asked
from assay.metrics._parse import Given as Given
from assay.metrics._parse import parse_metric as parse_metric
from assay.metrics._parse import parse_metrics as parse_metrics
from assay.metrics._parse import parse_name as parse_name
from assay.metrics._parse import written_metrics as written_metrics
from assay.metrics._registry import all_metrics as all_metrics
from assay.metrics._residuals import residual_scores as residual_scores
from assay.metrics._risk_coverage import Point as Point
from assay.metrics._risk_coverage import curve as curve
from assay.metrics._single_term import K_VALUES as K_VALUES
from assay.metrics._single_term import SingleTermRetrievalMetrics as SingleTermRetrievalMetrics
from assay.metrics._tie_changes import changed_by_ties as changed_by_ties
from assay.metrics._tool_names import TREC_FAMILIES as TREC_FAMILIES
from assay.model import GradedRun as GradedRun

__all__ = [
    "BatchEvaluator",
    "SingleTermRetrievalMetrics",
    "average_precision_at_k",
    "binary_to_graded",
    "dcg_at_k",
    "f1_at_k",
    "hit_rate_at_k",
    "mean_average_precision_at_k",
    "mean_mrr_at_k",
    "mean_ndcg_at_k",
    "mean_precision_at_k",
    "mean_recall_at_k",
    "mrr_at_k",
    "ndcg_at_k",
    "precision_at_k",
    "recall_at_k",
]
