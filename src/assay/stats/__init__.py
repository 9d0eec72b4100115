"""[catalog TEST] One statistical test per file, intervals, corrections, effect sizes, power and agreement of rankings."""

from assay.stats._agreement import (
    Agreement,
    Moved,
    agreement,
    ap_correlation,
    gained_and_lost,
    kendall_tau,
    moved_documents,
    order_agreement,
    overlap_at_k,
    rbo,
)
from assay.stats._corrections import CORRECTIONS, correct
from assay.stats._effects import Effects, effects
from assay.stats._functions import (
    bootstrap_confidence_interval,
    calculate_confidence_interval,
    paired_bootstrap_test,
    statistical_significance_test,
)
from assay.stats._intervals import column_intervals, difference_intervals
from assay.stats._power import Power, analyse_power, minimum_detectable_effect, power, queries_needed
from assay.stats._power_study import normal_power
from assay.stats._test import Field, Pairs, parse_test
from assay.stats.bayesian import Posterior, posterior

__all__ = [
    "CORRECTIONS",
    "Agreement",
    "Effects",
    "Field",
    "Moved",
    "Pairs",
    "Posterior",
    "Power",
    "agreement",
    "analyse_power",
    "ap_correlation",
    "bootstrap_confidence_interval",
    "calculate_confidence_interval",
    "column_intervals",
    "correct",
    "difference_intervals",
    "effects",
    "gained_and_lost",
    "kendall_tau",
    "minimum_detectable_effect",
    "moved_documents",
    "normal_power",
    "order_agreement",
    "overlap_at_k",
    "paired_bootstrap_test",
    "parse_test",
    "posterior",
    "power",
    "queries_needed",
    "rbo",
    "statistical_significance_test",
]
