"""Training tools: how LightGBM, XGBoost and scikit-learn score the models that they train.

Behaviour was observed in the named versions. If a tool crashes or returns an undefined value, the profile raises an error
that says so.
"""

from __future__ import annotations

from assay.evaluation.profile import EVERY_METRIC, Option, Profile, Refusal, Variant
from assay.evaluation.tools.limits import (
    above_30,
    above_31,
    gains_exponentially,
    is_plain,
    not_binary,
    with_fractions,
    with_negatives,
    with_one_document,
)
from assay.evaluation.tools.metrics import (
    METRICS_OF_LIGHTGBM,
    METRICS_OF_SCIKIT_LEARN,
    METRICS_OF_XGBOOST,
)
from assay.model import Policy

LIGHTGBM = Profile(
    "lightgbm",
    "LightGBM 4.7",
    Policy(ties="input_order", missing="error", extra="error", no_relevant="one"),
    variants=(Variant(("ndcg",), {"gain": "exp"}), Variant(("map",), {"norm": "min"})),
    refusals=(
        Refusal(EVERY_METRIC, with_fractions, "stops at a label that is not a whole number"),
        Refusal(EVERY_METRIC, with_negatives, "stops at a negative label"),
        Refusal(("ndcg",), above_30, "stops at a label above 30, unless label_gain is set", gains_exponentially),
    ),
    has=METRICS_OF_LIGHTGBM,
)
XGBOOST = Profile(
    "xgboost",
    "XGBoost 3.2",
    Policy(ties="input_order", precision="float32", missing="error", extra="error", no_relevant="one"),
    variants=(
        Variant(("ndcg",), {"gain": "exp"}),
        Variant(("map",), {"norm": "min"}),
        Variant(("precision",), {"over": "retrieved"}, {"no_relevant": "zero"}),
        Variant(("set_precision",), policy={"no_relevant": "zero"}),
    ),
    refusals=(
        Refusal(EVERY_METRIC, with_negatives, "stops at a negative label"),
        Refusal(
            ("ndcg",),
            with_fractions,
            "stops at a label that is not a whole number, unless ndcg_exp_gain is false",
            gains_exponentially,
        ),
        Refusal(("ndcg",), above_31, "stops at a label above 31, unless ndcg_exp_gain is false", gains_exponentially),
        Refusal(("map", "precision", "set_precision"), not_binary, "stops at a label other than 0 and 1"),
    ),
    option=Option("ndcg-", {"no_relevant": "zero"}),
    has=METRICS_OF_XGBOOST,
)
SCIKIT_LEARN = Profile(
    "scikit-learn",
    "scikit-learn 1.9",
    Policy(ties="expected", missing="error", extra="error"),
    variants=(
        Variant(("lrap",), policy={"no_relevant": "one"}),
        Variant(("map",), when=is_plain, instead="lrap"),
    ),
    refusals=(
        Refusal(("ndcg",), with_negatives, "stops at a negative label"),
        Refusal(("ndcg",), with_one_document, "stops at a query with one document"),
        Refusal(("lrap", "map"), not_binary, "stops at a label other than 0 and 1"),
    ),
    has=METRICS_OF_SCIKIT_LEARN,
)
