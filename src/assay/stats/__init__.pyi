from assay.stats.between_groups import UNKNOWN_VARIANCE as UNKNOWN_VARIANCE
from assay.stats.between_groups import GroupVariance as GroupVariance
from assay.stats.between_groups import group_variance as group_variance
from assay.stats.catalog.bayesian import Posterior as Posterior
from assay.stats.catalog.bayesian import posterior as posterior
from assay.stats.clusters import Clusters as Clusters
from assay.stats.clusters import clustered_difference as clustered_difference
from assay.stats.clusters import clustered_intervals as clustered_intervals
from assay.stats.corrections import CORRECTIONS as CORRECTIONS
from assay.stats.corrections import Correction as Correction
from assay.stats.corrections import correct as correct
from assay.stats.corrections import parse_correction as parse_correction
from assay.stats.effect_sizes import Effects as Effects
from assay.stats.effect_sizes import chance_of_lower as chance_of_lower
from assay.stats.effect_sizes import d_z as d_z
from assay.stats.effect_sizes import effects as effects
from assay.stats.effect_sizes import n_shuffles as n_shuffles
from assay.stats.estimates import FEWEST_JUDGED as FEWEST_JUDGED
from assay.stats.estimates import EstimatedMean as EstimatedMean
from assay.stats.estimates import chance_of_claim as chance_of_claim
from assay.stats.estimates import check_sides as check_sides
from assay.stats.estimates import estimated_difference as estimated_difference
from assay.stats.estimates import estimated_mean as estimated_mean
from assay.stats.functions import bootstrap_confidence_interval as bootstrap_confidence_interval
from assay.stats.functions import calculate_confidence_interval as calculate_confidence_interval
from assay.stats.functions import paired_bootstrap_test as paired_bootstrap_test
from assay.stats.functions import statistical_significance_test as statistical_significance_test
from assay.stats.gaffke import gaffke_bound as gaffke_bound
from assay.stats.gaffke import gaffke_of_counts as gaffke_of_counts
from assay.stats.gaffke import gaffke_p as gaffke_p
from assay.stats.inter_rater import ALPHA_SCALES as ALPHA_SCALES
from assay.stats.inter_rater import Reliability as Reliability
from assay.stats.inter_rater import cohen_kappa as cohen_kappa
from assay.stats.inter_rater import kappa_interval as kappa_interval
from assay.stats.inter_rater import krippendorff_alpha as krippendorff_alpha
from assay.stats.intervals import AUTO as AUTO
from assay.stats.intervals import MANY_QUERIES as MANY_QUERIES
from assay.stats.intervals import NONE as NONE
from assay.stats.intervals import column_intervals as column_intervals
from assay.stats.intervals import difference_intervals as difference_intervals
from assay.stats.intervals import figure_difference as figure_difference
from assay.stats.jackknife import jackknifed as jackknifed
from assay.stats.jackknife import jackknifed_gap as jackknifed_gap
from assay.stats.jackknife import one_document as one_document
from assay.stats.mean_intervals import RESAMPLES as RESAMPLES
from assay.stats.mean_intervals import Interval as Interval
from assay.stats.mean_intervals import T as T
from assay.stats.numeric import AVERAGED as AVERAGED
from assay.stats.numeric import ROUNDING as ROUNDING
from assay.stats.numeric import averaged as averaged
from assay.stats.numeric import checked_fraction as checked_fraction
from assay.stats.paired_intervals import GAFFKE as GAFFKE
from assay.stats.paired_intervals import agree_with_test as agree_with_test
from assay.stats.paired_intervals import auto_intervals as auto_intervals
from assay.stats.power_analysis import Power as Power
from assay.stats.power_analysis import analyse_power as analyse_power
from assay.stats.power_analysis import minimum_detectable_effect as minimum_detectable_effect
from assay.stats.power_analysis import normal_power as normal_power
from assay.stats.power_analysis import power as power
from assay.stats.power_analysis import queries_needed as queries_needed
from assay.stats.quantiles import normal_quantile as normal_quantile
from assay.stats.quantiles import student_chance as student_chance
from assay.stats.quantiles import student_quantile as student_quantile
from assay.stats.query_planning import USUAL_SPREADS as USUAL_SPREADS
from assay.stats.query_planning import Design as Design
from assay.stats.query_planning import anova_power as anova_power
from assay.stats.query_planning import plan_queries as plan_queries
from assay.stats.rank_agreement import Agreement as Agreement
from assay.stats.rank_agreement import Moved as Moved
from assay.stats.rank_agreement import agreement as agreement
from assay.stats.rank_agreement import ap_correlation as ap_correlation
from assay.stats.rank_agreement import gained_and_lost as gained_and_lost
from assay.stats.rank_agreement import kendall_tau as kendall_tau
from assay.stats.rank_agreement import moved_documents as moved_documents
from assay.stats.rank_agreement import order_agreement as order_agreement
from assay.stats.rank_agreement import overlap_at_k as overlap_at_k
from assay.stats.rank_agreement import rbo as rbo
from assay.stats.ratios import Estimate as Estimate
from assay.stats.ratios import Ratio as Ratio
from assay.stats.ratios import ratio_difference as ratio_difference
from assay.stats.ratios import welch_freedom as welch_freedom
from assay.stats.repeat_noise import NoiseShare as NoiseShare
from assay.stats.repeat_noise import noise_share as noise_share
from assay.stats.resampling import index_blocks as index_blocks
from assay.stats.sign_flips import sign_flip_p as sign_flip_p
from assay.stats.significance import BoundTest as BoundTest
from assay.stats.significance import Field as Field
from assay.stats.significance import FieldOutcome as FieldOutcome
from assay.stats.significance import Pairs as Pairs
from assay.stats.significance import all_tests as all_tests
from assay.stats.significance import nothing as nothing
from assay.stats.significance import parse_paired_test as parse_paired_test
from assay.stats.significance import parse_test as parse_test
from assay.stats.student import chance_of_range as chance_of_range
from assay.stats.student import half_width as half_width
from assay.stats.system_order import Components as Components
from assay.stats.system_order import OrderStability as OrderStability
from assay.stats.system_order import order_stability as order_stability
from assay.stats.system_order import variance_components as variance_components

__all__ = [
    "CORRECTIONS",
    "Agreement",
    "Components",
    "Design",
    "Effects",
    "Field",
    "GroupVariance",
    "Moved",
    "OrderStability",
    "Pairs",
    "Posterior",
    "Power",
    "Reliability",
    "agreement",
    "analyse_power",
    "anova_power",
    "ap_correlation",
    "bootstrap_confidence_interval",
    "calculate_confidence_interval",
    "cohen_kappa",
    "column_intervals",
    "correct",
    "difference_intervals",
    "effects",
    "gaffke_bound",
    "gaffke_p",
    "gained_and_lost",
    "group_variance",
    "kappa_interval",
    "kendall_tau",
    "krippendorff_alpha",
    "minimum_detectable_effect",
    "moved_documents",
    "noise_share",
    "normal_power",
    "order_agreement",
    "order_stability",
    "overlap_at_k",
    "paired_bootstrap_test",
    "parse_test",
    "plan_queries",
    "posterior",
    "power",
    "queries_needed",
    "rbo",
    "statistical_significance_test",
    "variance_components",
]
