from assay.compat.differences import DifferenceWarning as DifferenceWarning
from assay.compat.pytrec_eval.differences import DIFFERENCES as DIFFERENCES
from assay.compat.pytrec_eval.evaluator import RelevanceEvaluator as RelevanceEvaluator
from assay.compat.pytrec_eval.evaluator import compute_aggregated_measure as compute_aggregated_measure
from assay.compat.pytrec_eval.evaluator import parse_qrel as parse_qrel
from assay.compat.pytrec_eval.evaluator import parse_run as parse_run
from assay.compat.pytrec_eval.evaluator import supported_measures as supported_measures
from assay.compat.pytrec_eval.evaluator import supported_nicknames as supported_nicknames
