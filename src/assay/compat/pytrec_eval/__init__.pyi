from assay.compat.pytrec_eval._aggregate import compute_aggregated_measure as compute_aggregated_measure
from assay.compat.pytrec_eval._evaluator import RelevanceEvaluator as RelevanceEvaluator
from assay.compat.pytrec_eval._lines import parse_qrel as parse_qrel
from assay.compat.pytrec_eval._lines import parse_run as parse_run
from assay.compat.pytrec_eval._measures import supported_measures as supported_measures
from assay.compat.pytrec_eval._measures import supported_nicknames as supported_nicknames
