from assay.stats._agreement import Agreement as Agreement
from assay.stats._agreement import Moved as Moved
from assay.stats._agreement import agreement as agreement
from assay.stats._agreement import ap_correlation as ap_correlation
from assay.stats._agreement import gained_and_lost as gained_and_lost
from assay.stats._agreement import kendall_tau as kendall_tau
from assay.stats._agreement import moved_documents as moved_documents
from assay.stats._agreement import order_agreement as order_agreement
from assay.stats._agreement import overlap_at_k as overlap_at_k
from assay.stats._agreement import rbo as rbo
from assay.stats._averages import AVERAGED as AVERAGED
from assay.stats._averages import averaged as averaged
from assay.stats._corrections import CORRECTIONS as CORRECTIONS
from assay.stats._corrections import Correction as Correction
from assay.stats._corrections import correct as correct
from assay.stats._corrections import parse_correction as parse_correction
from assay.stats._effects import Effects as Effects
from assay.stats._effects import cohens_d as cohens_d
from assay.stats._effects import effects as effects
from assay.stats._fractions import checked_fraction as checked_fraction
from assay.stats._functions import bootstrap_confidence_interval as bootstrap_confidence_interval
from assay.stats._functions import calculate_confidence_interval as calculate_confidence_interval
from assay.stats._functions import paired_bootstrap_test as paired_bootstrap_test
from assay.stats._functions import statistical_significance_test as statistical_significance_test
from assay.stats._intervals import AUTO as AUTO
from assay.stats._intervals import MANY_QUERIES as MANY_QUERIES
from assay.stats._intervals import NONE as NONE
from assay.stats._intervals import column_intervals as column_intervals
from assay.stats._intervals import difference_intervals as difference_intervals
from assay.stats._intervals import figure_difference as figure_difference
from assay.stats._kappa import cohen_kappa as cohen_kappa
from assay.stats._mean_intervals import RESAMPLES as RESAMPLES
from assay.stats._mean_intervals import T as T
from assay.stats._power import Power as Power
from assay.stats._power import analyse_power as analyse_power
from assay.stats._power import minimum_detectable_effect as minimum_detectable_effect
from assay.stats._power import power as power
from assay.stats._power import queries_needed as queries_needed
from assay.stats._power_study import normal_power as normal_power
from assay.stats._resampling import index_blocks as index_blocks
from assay.stats._rounding import ROUNDING as ROUNDING
from assay.stats._student import chance_of_less as chance_of_less
from assay.stats._student import half_width as half_width
from assay.stats._studentised_range import chance_of_range as chance_of_range
from assay.stats._subsets import chance_of_lower as chance_of_lower
from assay.stats._subsets import n_shuffles as n_shuffles
from assay.stats._test import BoundTest as BoundTest
from assay.stats._test import Field as Field
from assay.stats._test import FieldOutcome as FieldOutcome
from assay.stats._test import Pairs as Pairs
from assay.stats._test import all_tests as all_tests
from assay.stats._test import nothing as nothing
from assay.stats._test import parse_paired_test as parse_paired_test
from assay.stats._test import parse_test as parse_test
from assay.stats.bayesian import Posterior as Posterior
from assay.stats.bayesian import posterior as posterior

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
