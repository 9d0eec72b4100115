from assay.logs.check import MOST_SEARCHES_PER_HOUR as MOST_SEARCHES_PER_HOUR
from assay.logs.check import LogCheck as LogCheck
from assay.logs.check import LogFinding as LogFinding
from assay.logs.check import check_log as check_log
from assay.logs.check import hashed_id as hashed_id
from assay.logs.click_judgments import FEWEST_SHOWN as FEWEST_SHOWN
from assay.logs.click_judgments import LEVELS as LEVELS
from assay.logs.click_judgments import MODELS as MODELS
from assay.logs.click_judgments import ClickJudgments as ClickJudgments
from assay.logs.click_judgments import check_judgment_file as check_judgment_file
from assay.logs.click_judgments import judge_clicks as judge_clicks
from assay.logs.click_judgments import parse_levels as parse_levels
from assay.logs.click_models import score_interval as score_interval
from assay.logs.impressions import CLUSTERS as CLUSTERS
from assay.logs.interleaved_searches import InterleavedSearches as InterleavedSearches
from assay.logs.interleaved_searches import read_interleaved as read_interleaved
from assay.logs.scoring import evaluate_log as evaluate_log
from assay.logs.scoring import parse_log_metrics as parse_log_metrics
from assay.logs.scoring import score_log as score_log
from assay.logs.variant_users import NO_USERS as NO_USERS
from assay.logs.variant_users import Period as Period
from assay.logs.variant_users import UserSums as UserSums
from assay.logs.variant_users import VariantUsers as VariantUsers
from assay.logs.variant_users import read_users as read_users
from assay.logs.variant_users import variant_sums as variant_sums

__all__ = ["ClickJudgments", "LogCheck", "UserSums", "check_log", "evaluate_log", "judge_clicks", "variant_sums"]
