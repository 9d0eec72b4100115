from assay.metrics.batch import BatchEvaluator as BatchEvaluator
from assay.metrics.catalog.answers import Point as Point
from assay.metrics.catalog.answers import curve as curve
from assay.metrics.catalog.text_overlap import Overlap as Overlap
from assay.metrics.catalog.text_overlap import common_subsequence as common_subsequence
from assay.metrics.catalog.text_overlap import overlap as overlap
from assay.metrics.catalog.text_overlap import token_f1 as token_f1
from assay.metrics.custom import is_import as is_import
from assay.metrics.custom import metric as metric
from assay.metrics.custom import unknown_function as unknown_function
from assay.metrics.definition import GAIN_LEVEL as GAIN_LEVEL
from assay.metrics.definition import REL as REL
from assay.metrics.definition import BoundMetric as BoundMetric
from assay.metrics.definition import Metric as Metric
from assay.metrics.descriptions import describe as describe
from assay.metrics.descriptions import describe_all as describe_all
from assay.metrics.descriptions import explain as explain
from assay.metrics.descriptions import explain_group as explain_group
from assay.metrics.descriptions import list_all as list_all
from assay.metrics.descriptions import range_of as range_of
from assay.metrics.descriptions import written as written
from assay.metrics.functions import K_VALUES as K_VALUES
from assay.metrics.functions import Relevant as Relevant
from assay.metrics.functions import SingleTermRetrievalMetrics as SingleTermRetrievalMetrics
from assay.metrics.functions import average_precision_at_k as average_precision_at_k
from assay.metrics.functions import binary_to_graded as binary_to_graded
from assay.metrics.functions import dcg_at_k as dcg_at_k
from assay.metrics.functions import f1_at_k as f1_at_k
from assay.metrics.functions import grade_query as grade_query
from assay.metrics.functions import hit_rate_at_k as hit_rate_at_k
from assay.metrics.functions import mean_average_precision_at_k as mean_average_precision_at_k
from assay.metrics.functions import mean_mrr_at_k as mean_mrr_at_k
from assay.metrics.functions import mean_ndcg_at_k as mean_ndcg_at_k
from assay.metrics.functions import mean_precision_at_k as mean_precision_at_k
from assay.metrics.functions import mean_recall_at_k as mean_recall_at_k
from assay.metrics.functions import mrr_at_k as mrr_at_k
from assay.metrics.functions import ndcg_at_k as ndcg_at_k
from assay.metrics.functions import precision_at_k as precision_at_k
from assay.metrics.functions import recall_at_k as recall_at_k
from assay.metrics.functions import score_query as score_query
from assay.metrics.lookup import find_metric as find_metric
from assay.metrics.lookup import find_metrics as find_metrics
from assay.metrics.lookup import recorded_metric as recorded_metric
from assay.metrics.paired_bounds import DifferenceBounds as DifferenceBounds
from assay.metrics.paired_bounds import difference_bounds as difference_bounds
from assay.metrics.parsing import Given as Given
from assay.metrics.parsing import WrittenMetric as WrittenMetric
from assay.metrics.parsing import parse_metric as parse_metric
from assay.metrics.parsing import parse_metrics as parse_metrics
from assay.metrics.parsing import parse_name as parse_name
from assay.metrics.parsing import written_metrics as written_metrics
from assay.metrics.questions import Question as Question
from assay.metrics.questions import all_questions as all_questions
from assay.metrics.questions import describe_question as describe_question
from assay.metrics.questions import explain_question as explain_question
from assay.metrics.questions import find_questions as find_questions
from assay.metrics.questions import read_as as read_as
from assay.metrics.registry import GROUPS as GROUPS
from assay.metrics.registry import all_metrics as all_metrics
from assay.metrics.registry import n_registered as n_registered
from assay.metrics.residuals import residual_scores as residual_scores
from assay.metrics.tie_changes import TieQuestion as TieQuestion
from assay.metrics.tie_changes import changed_by_ties as changed_by_ties
from assay.metrics.ties import N_SAMPLED as N_SAMPLED
from assay.metrics.ties import SEED as SEED
from assay.metrics.ties import TieBand as TieBand
from assay.metrics.ties import score_of as score_of
from assay.metrics.ties import tie_band as tie_band
from assay.metrics.trec_eval import TREC_FAMILIES as TREC_FAMILIES
from assay.metrics.trec_eval import TREC_GROUPS as TREC_GROUPS
from assay.metrics.trec_eval import TREC_MEASURES as TREC_MEASURES
from assay.views import GradedRun as GradedRun

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
    "token_f1",
]
