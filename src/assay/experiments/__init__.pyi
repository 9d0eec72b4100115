from assay.experiments.click_credit import Credit as Credit
from assay.experiments.click_credit import click_outcome as click_outcome
from assay.experiments.confidence_sequence import difference_sequence as difference_sequence
from assay.experiments.confidence_sequence import mean_sequence as mean_sequence
from assay.experiments.decided_pairs import decided_pair as decided_pair
from assay.experiments.decided_pairs import shared_outcome as shared_outcome
from assay.experiments.earlier_period import users_adjustment as users_adjustment
from assay.experiments.experiment import Experiment as Experiment
from assay.experiments.experiment import Variant as Variant
from assay.experiments.experiment import check_experiment_metrics as check_experiment_metrics
from assay.experiments.experiment import compare_variants as compare_variants
from assay.experiments.experiment import decide_experiment as decide_experiment
from assay.experiments.gate_notes import notes_on_decided as notes_on_decided
from assay.experiments.interleaving import METHODS as METHODS
from assay.experiments.interleaving import Interleaving as Interleaving
from assay.experiments.interleaving import interleave as interleave
from assay.experiments.interleaving_outcome import TESTS as TESTS
from assay.experiments.interleaving_outcome import InterleavingOutcome as InterleavingOutcome
from assay.experiments.interleaving_outcome import check_interleaving_settings as check_interleaving_settings
from assay.experiments.interleaving_outcome import decide_interleaving as decide_interleaving
from assay.experiments.interleaving_outcome import score_interleaving as score_interleaving
from assay.experiments.options import ExperimentOptions as ExperimentOptions
from assay.experiments.outcome_results import OUTCOME as OUTCOME
from assay.experiments.outcome_results import outcome_of as outcome_of
from assay.experiments.outcome_results import results_of as results_of
from assay.experiments.sample_ratio import SampleRatio as SampleRatio
from assay.experiments.sample_ratio import check_ratio as check_ratio
from assay.experiments.variant_difference import BETTING as BETTING
from assay.experiments.variant_difference import CUPED as CUPED
from assay.experiments.variant_difference import ESTIMATION_METHODS as ESTIMATION_METHODS
from assay.experiments.variant_difference import VariantDifference as VariantDifference

__all__ = [
    "Credit",
    "Experiment",
    "ExperimentOptions",
    "InterleavingOutcome",
    "SampleRatio",
    "Variant",
    "VariantDifference",
    "check_experiment_metrics",
    "check_interleaving_settings",
    "check_ratio",
    "click_outcome",
    "decide_experiment",
    "decide_interleaving",
    "decided_pair",
    "difference_sequence",
    "mean_sequence",
    "notes_on_decided",
    "outcome_of",
    "results_of",
    "shared_outcome",
    "users_adjustment",
]
