"""Profiles: how each other tool scores, so that its numbers can be reproduced and explained.

Behaviour was observed in the named versions. If a tool crashes or returns an undefined value, the profile raises an error
that says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from assay.arrays import Bools
from assay.errors import BadParameter, UnknownName, near_matches
from assay.evaluation.profile import EVERY_METRIC, OWN, Option, Profile, Refusal, Settings, Variant, settings_of
from assay.metrics import BoundMetric, Given, is_import, n_registered, parse_metrics, written_metrics
from assay.model import Policy
from assay.text import shortened
from assay.views import GradedRun

Takes = Mapping[str, tuple[str, ...]]
"""Metric → the parameters that users can set."""

LEVEL = ("rel",)
"""trec_eval's -l, and similar options."""
CONDENSED = ("rel", "judged_only")
"""The same and -J."""
SCALE = ("min_grade", "max_grade")


def _each(names: str, takes: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    return dict.fromkeys(names.split(), takes)


METRICS_OF_PYTREC_EVAL: Takes = {
    **_each("runid num_q ndcg_rel rndcg g", ()),
    **_each("num_ret num_rel num_rel_ret num_nonrel_judged_ret gm_map bpref gm_bpref infap 11pt_avg bing", LEVEL),
    **_each("set_precision set_relative_precision set_map", CONDENSED),
    "set_recall": LEVEL,
    **_each("precision recall hit capped_recall", ("k!", *CONDENSED)),
    **_each("rprec mrr", CONDENSED),
    "map": ("k", *CONDENSED),
    "ndcg": ("k", "judged_only"),
    "iprec": ("recall", *CONDENSED),
    "rprec_mult": ("multiple", "rel"),
    "utility": ("weights", "rel"),
    "relstring": ("k",),
    "set_f": ("beta", *CONDENSED),
}
"""The metrics of trec_eval 9.0.8 that need only judgments. Reciprocal rank has no cutoff, ndcg has no level."""
METRICS_OF_TREC_EVAL_9: Takes = {
    **METRICS_OF_PYTREC_EVAL,
    **_each("ndcg_rel rndcg g dcg ideal_dcg", ("gain={}",)),
    "ndcg": ("k", "gain={}", "judged_only"),
    "11pt_avg": ("points", "rel"),
    "yaap": LEVEL,
}
METRICS_OF_TREC_EVAL_10: Takes = {
    **METRICS_OF_TREC_EVAL_9,
    "rbp": ("p", "rel", "gain={}"),
    "rbp_residual": ("p",),
    "unjudged": ("k!",),
}
METRICS_OF_RANX: Takes = {
    **_each("hit precision recall f mrr map", ("k", "rel")),
    **_each("ndcg dcg", ("k", "rel", "gain=exp")),
    **_each("set_precision set_f rprec bpref", LEVEL),
    "mean_rel_ret": ("k", "rel"),
    "rbp": ("p", "rel"),
}
METRICS_OF_IR_MEASURES: Takes = {
    **_each("precision recall hit", ("k!", *CONDENSED)),
    **_each("map mrr", ("k", *CONDENSED)),
    **_each("bpref infap num_rel num_ret num_rel_ret set_recall", LEVEL),
    **_each("set_map set_precision set_relative_precision", CONDENSED),
    **_each("inst insq nerr11", ("t", *SCALE)),
    **_each("nerr8 nerr9 sdcg", ("k", *SCALE)),
    **_each("judged err", ("k",)),
    "nerr10": ("p", *SCALE),
    "bpm": ("k", "t", *SCALE),
    "ndcg": ("k", "gain=exp", "gain={}", "judged_only"),
    "rprec": CONDENSED,
    "iprec": ("recall", *CONDENSED),
    "rbp": ("k", "p", "rel"),
    "accuracy": ("k", "rel"),
    "compatibility": ("p", "normalize"),
    "set_f": ("beta", *CONDENSED),
    "num_q": (),
    **_each("err_ia nerr_ia precision_ia", ("k!", *CONDENSED)),
    **_each("alpha_dcg alpha_ndcg", ("k!", "alpha", *CONDENSED)),
    **_each("nrbp nnrbp", ("alpha", "beta", "rel")),
    "subtopic_recall": ("k!", "rel"),
    "map_ia": CONDENSED,
}
METRICS_OF_SENTENCE_TRANSFORMERS: Takes = _each("ndcg map recall precision mrr hit", ("k!",))
"""Scored only at cutoffs; no other parameter can be set."""
METRICS_OF_BEIR: Takes = {**METRICS_OF_SENTENCE_TRANSFORMERS, "capped_recall": ("k!",)}
METRICS_OF_MTEB = METRICS_OF_BEIR
METRICS_OF_LIGHTGBM: Takes = {"ndcg": ("k!", "gain={}"), "map": ("k!",)}
METRICS_OF_XGBOOST: Takes = {"ndcg": ("k", "gain=linear"), "map": ("k",), "precision": ("k!",), "set_precision": ()}
METRICS_OF_SCIKIT_LEARN: Takes = {"ndcg": ("k",), "dcg": ("k",), "lrap": ()}


def _deeper_than_20(params: Mapping[str, Any]) -> bool:
    return params.get("k") is not None and params["k"] > 20


def _at_the_top(params: Mapping[str, Any]) -> bool:
    return params.get("k") == 1


def _has_cutoff(params: Mapping[str, Any]) -> bool:
    return params.get("k") is not None


def _is_plain(params: Mapping[str, Any]) -> bool:
    return params.get("k") is None and not params.get("judged_only") and params.get("norm") == "relevant"


def _gains_exponentially(params: Mapping[str, Any]) -> bool:
    return params.get("gain") == "exp"


def _with_fractions(run: GradedRun) -> Bools:
    return _any_judgment(run, run.ideal.grade != np.round(run.ideal.grade))


def _all_negative(run: GradedRun) -> Bools:
    return (run.ideal.count > 0) & (run.ideal.where(run.ideal.grade >= 0).count == 0)


def _above_four(run: GradedRun) -> Bools:
    return _any_judgment(run, run.ideal.grade > 4)


def _above_30(run: GradedRun) -> Bools:
    return _any_judgment(run, run.ideal.grade > 30)


def _above_31(run: GradedRun) -> Bools:
    return _any_judgment(run, run.ideal.grade > 31)


def _with_negatives(run: GradedRun) -> Bools:
    return _any_judgment(run, run.ideal.grade < 0)


def _not_binary(run: GradedRun) -> Bools:
    return _any_judgment(run, (run.ideal.grade != 0) & (run.ideal.grade != 1))


def _with_one_document(run: GradedRun) -> Bools:
    return (run.n_retrieved == 1) & (run.ideal.count == 1)


def _any_judgment(run: GradedRun, mask: Bools) -> Bools:
    return run.ideal.where(mask).count > 0


def _named_by_text(run: GradedRun) -> Bools:
    return np.array([re.fullmatch(r"[0-9]+", query) is None for query in run.query_ids], dtype=bool)


def _retrieved_nothing(run: GradedRun) -> Bools:
    return run.n_retrieved == 0


def _all_relevant(run: GradedRun) -> Bools:
    return (run.n_retrieved > 0) & (run.relevant().count == run.n_retrieved)


def _without_nonrelevant(run: GradedRun) -> Bools:
    """Something relevant was retrieved, and nothing was judged non-relevant."""
    return (run.ideal.count == run.n_relevant()) & (run.relevant().count > 0)


def _without_relevant(run: GradedRun) -> Bools:
    return run.n_relevant() == 0


def _without_relevant_among_others(run: GradedRun) -> Bools:
    return _without_relevant(run) & (run.n_queries > 1)


def _every_query(run: GradedRun) -> Bools:
    return np.ones(run.n_queries, dtype=bool)


WHOLE_GRADES = Refusal(
    EVERY_METRIC, _with_fractions, "reads grades as whole numbers; it fails on fractions or cuts them off"
)
ALL_NEGATIVE = Refusal(EVERY_METRIC, _all_negative, "stops or crashes on a query with only negative grades")
UNJUDGED_HOLES = Refusal(
    ("unjudged",),
    _every_query,
    "counts a document as a hole only if it is unjudged for all queries, but unjudged@k checks each query "
    "separately, so the values can differ",
)
SINGLE_PRECISION = Policy(precision="float32", missing="skip")

TREC_EVAL_9 = Profile(
    "trec_eval-9",
    "trec_eval 9.0.8",
    SINGLE_PRECISION,
    refusals=(WHOLE_GRADES, ALL_NEGATIVE),
    option=Option("-c", {"missing": "zero"}),
    has=METRICS_OF_TREC_EVAL_9,
)
TREC_EVAL_10 = Profile(
    "trec_eval-10",
    "trec_eval 10.0",
    Policy(missing="error"),
    variants=(
        Variant(("iprec", "11pt_avg"), {"rounding": "nearest"}),
        Variant(("rbp",), {"p": 0.9, "gain": "query"}),
        Variant(("rbp_residual",), {"p": 0.9, "complete": "zero"}),
        Variant(("yaap",), {"empty": "odds"}),
    ),
    refusals=(WHOLE_GRADES, ALL_NEGATIVE),
    option=Option("-c", {"missing": "zero"}),
    has=METRICS_OF_TREC_EVAL_10,
)
PYTREC_EVAL = Profile(
    "pytrec_eval",
    "pytrec_eval-terrier 0.5.11",
    SINGLE_PRECISION,
    refusals=(
        WHOLE_GRADES,
        ALL_NEGATIVE,
        Refusal(
            ("iprec", "11pt_avg"),
            _retrieved_nothing,
            "returns nan for a query with an empty ranking",
            of_rankings=True,
            is_undefined=True,
        ),
    ),
    has=METRICS_OF_PYTREC_EVAL,
)
RANX = Profile(
    "ranx",
    "ranx 0.3.21",
    Policy(ties="ranx", missing="error", extra="error"),
    variants=(
        Variant(("rbp",), {"gain": "grade"}),
        Variant(("bpref",), policy={"negatives": "nonrelevant"}),
    ),
    refusals=(
        WHOLE_GRADES,
        Refusal(
            ("bpref",),
            _without_nonrelevant,
            "returns nan for bpref if no document is judged non-relevant (ranx issue 66)",
            is_undefined=True,
        ),
        Refusal(
            ("bpref",),
            _without_relevant_among_others,
            "stops a thread at a query without a relevant document and leaves bpref at 0 for the queries after it",
            is_undefined=True,
        ),
    ),
    option=Option("make_comparable=True", {"missing": "zero", "extra": "skip"}),
    has=METRICS_OF_RANX,
)
MS_MARCO = {"ties": "docid_asc", "precision": "float64"}
"""The MS MARCO script, which ir_measures uses for mrr@k; other providers of ir_measures rank in the same way."""
GDEVAL = {"precision": "float64"}
"""The Perl script that ir_measures uses for err and exponential ndcg."""
BEIR_SCRIPT = {"ties": "input_order", "precision": "float64", "missing": "zero", "extra": "error"}
"""BEIR's own Python code, which it uses in addition to pytrec_eval."""
NDEVAL = (
    *("alpha_dcg", "alpha_ndcg", "err_ia", "nerr_ia", "nrbp", "nnrbp", "map_ia", "precision_ia"),
    "subtopic_recall",
)
"""The metrics that ir_measures computes with pyndeval, which ranks like the MS MARCO script."""
IR_MEASURES = Profile(
    "ir_measures",
    "ir_measures 0.4.3",
    Policy(precision="float32"),
    variants=(
        Variant(("mrr",), policy=MS_MARCO, when=_has_cutoff),
        Variant(("judged", "compatibility"), policy=MS_MARCO),
        Variant(("accuracy",), policy={"ties": "input_order", "precision": "float64"}),
        Variant(("err",), policy={**GDEVAL, "max_grade": 4.0}, digits=5),
        Variant(("ndcg",), policy=GDEVAL, when=_gains_exponentially, digits=5),
        Variant(("num_q", "num_rel", "num_ret", "num_rel_ret"), policy={"missing": "skip"}),
        Variant(NDEVAL, policy=MS_MARCO),
    ),
    refusals=(
        WHOLE_GRADES,
        ALL_NEGATIVE,
        Refusal(("err",), _above_four, "fails on a grade above 4 (gdeval)"),
        Refusal(("err",), _named_by_text, "fails on query ids that are not numbers (gdeval)"),
        Refusal(("ndcg",), _above_four, "fails on a grade above 4 (gdeval)", _gains_exponentially),
        Refusal(("ndcg",), _named_by_text, "fails on query ids that are not numbers (gdeval)", _gains_exponentially),
        Refusal(("accuracy",), _all_relevant, "divides by zero if all retrieved documents are relevant"),
        Refusal(NDEVAL, _every_query, "has no diversity metrics beyond rank 20 (pyndeval)", _deeper_than_20),
        Refusal(
            ("alpha_dcg", "err_ia"),
            _every_query,
            "does not divide by the number of subtopics at rank 1 (pyndeval)",
            _at_the_top,
            is_undefined=True,
        ),
        Refusal(
            ("nnrbp",),
            _without_relevant,
            "returns nan for a query without a relevant document (pyndeval)",
            of_rankings=True,
            is_undefined=True,
        ),
        Refusal(("judged",), _retrieved_nothing, "divides by zero on a query with an empty ranking", of_rankings=True),
    ),
    has=METRICS_OF_IR_MEASURES,
)
BEIR = Profile(
    "beir",
    "BEIR 2.2.0",
    replace(SINGLE_PRECISION, drop_self=True),
    variants=(
        Variant(("mrr", "hit"), policy=BEIR_SCRIPT),
        Variant(("capped_recall",), policy={**BEIR_SCRIPT, "no_relevant": "error"}),
        Variant(("accuracy",), policy=BEIR_SCRIPT, instead="hit"),
    ),
    refusals=(WHOLE_GRADES, ALL_NEGATIVE, UNJUDGED_HOLES),
    has=METRICS_OF_BEIR,
)
MTEB = Profile(
    "mteb",
    "MTEB 2.26",
    replace(SINGLE_PRECISION, extra="error"),
    variants=(
        Variant(("mrr",), policy={"precision": "float64"}),
        Variant(("capped_recall",), policy={"precision": "float64", "no_relevant": "skip"}),
        Variant(("accuracy",), {"k": 1}, instead="recall"),
    ),
    refusals=(WHOLE_GRADES, ALL_NEGATIVE, UNJUDGED_HOLES),
    has=METRICS_OF_MTEB,
)
SENTENCE_TRANSFORMERS = Profile(
    "sentence-transformers",
    "sentence-transformers 5.1, InformationRetrievalEvaluator",
    Policy(precision="float32", ties="error", no_relevant="skip"),
    variants=(
        Variant(("ndcg",), {"gain": "binary"}),
        Variant(("map",), {"norm": "min"}),
        Variant(("accuracy",), instead="hit"),
    ),
    has=METRICS_OF_SENTENCE_TRANSFORMERS,
)
LIGHTGBM = Profile(
    "lightgbm",
    "LightGBM 4.7",
    Policy(ties="input_order", missing="error", extra="error", no_relevant="one"),
    variants=(Variant(("ndcg",), {"gain": "exp"}), Variant(("map",), {"norm": "min"})),
    refusals=(
        Refusal(EVERY_METRIC, _with_fractions, "stops at a label that is not a whole number"),
        Refusal(EVERY_METRIC, _with_negatives, "stops at a negative label"),
        Refusal(("ndcg",), _above_30, "stops at a label above 30, unless label_gain is set", _gains_exponentially),
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
        Refusal(EVERY_METRIC, _with_negatives, "stops at a negative label"),
        Refusal(
            ("ndcg",),
            _with_fractions,
            "stops at a label that is not a whole number, unless ndcg_exp_gain is false",
            _gains_exponentially,
        ),
        Refusal(("ndcg",), _above_31, "stops at a label above 31, unless ndcg_exp_gain is false", _gains_exponentially),
        Refusal(("map", "precision", "set_precision"), _not_binary, "stops at a label other than 0 and 1"),
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
        Variant(("map",), when=_is_plain, instead="lrap"),
    ),
    refusals=(
        Refusal(("ndcg",), _with_negatives, "stops at a negative label"),
        Refusal(("ndcg",), _with_one_document, "stops at a query with one document"),
        Refusal(("lrap", "map"), _not_binary, "stops at a label other than 0 and 1"),
    ),
    has=METRICS_OF_SCIKIT_LEARN,
)
PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        *(TREC_EVAL_9, TREC_EVAL_10, PYTREC_EVAL, RANX),
        *(IR_MEASURES, BEIR, MTEB, SENTENCE_TRANSFORMERS),
        *(LIGHTGBM, XGBOOST, SCIKIT_LEARN),
    )
}
"""Name → profile."""


def find_profile(name: str) -> Profile:
    """The profile of a tool."""
    if name not in PROFILES:
        raise UnknownName("profile", name, near_matches(name, PROFILES), f"choose from {', '.join(PROFILES)}")
    return PROFILES[name]


def as_asked(metric: BoundMetric, profile: str) -> BoundMetric:
    """The metric that the user of a tool asked for, from the metric that was scored: without the parameters of the tool."""
    variant = PROFILES.get(profile, OWN).variant(metric.metric.name, metric.params)
    usual = {param.name: param.default for param in metric.metric.params} | dict(variant.params if variant else {})
    return metric.metric.bind(**{name: value for name, value in metric.params.items() if value != usual[name]})


def choose_profile(policy: Policy | None, profile: str | Profile | None) -> Profile:
    """The conventions to score by: one policy for all metrics, or those of a tool."""
    if policy is not None and profile is not None:
        raise BadParameter("use either policy or profile, not both. To change a profile: find_profile(name).adjusted(…)")
    if profile is not None:
        return profile if isinstance(profile, Profile) else find_profile(profile)
    if not isinstance(policy, Policy | None):
        raise BadParameter(f"policy must be a Policy such as Policy(ties='docid_asc'), not {shortened(policy)}")
    return OWN if policy is None else replace(OWN, policy=policy)


def requested_settings(metrics: Given | Iterable[Given] | None, profile: Profile) -> Settings:
    """How the metrics that a Python program names are scored. Names under assay's conventions are read once."""
    if profile is OWN and (names := _plain_names(metrics)):
        return _usual_settings(names, n_registered())
    return settings_of(parse_metrics(written_metrics(metrics), profile.name), profile)


def _plain_names(metrics: object) -> tuple[str, ...]:
    """The names, if all metrics are named by text that imports nothing; else empty."""
    names = (metrics,) if isinstance(metrics, str) else metrics
    is_plain = isinstance(names, list | tuple) and all(type(name) is str and not is_import(name) for name in names)
    return tuple(names) if is_plain and isinstance(names, list | tuple) else ()


@lru_cache(maxsize=256)
def _usual_settings(names: tuple[str, ...], n_registered: int) -> Settings:  # noqa: ARG001 (a part of the key)
    """The settings of names that import nothing; remembered until another metric is registered."""
    return settings_of(parse_metrics(written_metrics(names)), OWN)
