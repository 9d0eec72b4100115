from assay.logs.click_judgments import FEWEST_SHOWN as FEWEST_SHOWN
from assay.logs.click_judgments import LEVELS as LEVELS
from assay.logs.click_judgments import MODELS as MODELS
from assay.logs.click_judgments import ClickJudgments as ClickJudgments
from assay.logs.click_judgments import judge_clicks as judge_clicks
from assay.logs.click_judgments import parse_levels as parse_levels
from assay.logs.scoring import evaluate_log as evaluate_log
from assay.logs.scoring import parse_log_metrics as parse_log_metrics
from assay.logs.scoring import score_log as score_log

__all__ = ["ClickJudgments", "evaluate_log", "judge_clicks"]
