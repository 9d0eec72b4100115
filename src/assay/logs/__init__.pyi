from assay.logs.scoring import evaluate_log as evaluate_log
from assay.logs.scoring import parse_log_metrics as parse_log_metrics
from assay.logs.scoring import score_log as score_log

__all__ = ["evaluate_log"]
