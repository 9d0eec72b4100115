"""Retrieval tools: how trec_eval, ranx, BEIR and other programs score rankings.

Behaviour was observed in the named versions. If a tool crashes or returns an undefined value, the profile raises an error
that says so.
"""

from __future__ import annotations

from dataclasses import replace

from assay.evaluation.profile import EVERY_METRIC, Option, Profile, Refusal, Variant
from assay.evaluation.tools.limits import (
    above_four,
    all_negative,
    all_relevant,
    at_the_top,
    deeper_than_20,
    every_query,
    gains_exponentially,
    has_cutoff,
    named_by_text,
    retrieved_nothing,
    with_fractions,
    without_nonrelevant,
    without_relevant,
    without_relevant_among_others,
)
from assay.evaluation.tools.metrics import (
    METRICS_OF_BEIR,
    METRICS_OF_IR_MEASURES,
    METRICS_OF_MTEB,
    METRICS_OF_PYTREC_EVAL,
    METRICS_OF_RANX,
    METRICS_OF_SENTENCE_TRANSFORMERS,
    METRICS_OF_TREC_EVAL_9,
    METRICS_OF_TREC_EVAL_10,
)
from assay.model import Policy

WHOLE_GRADES = Refusal(EVERY_METRIC, with_fractions, "reads grades as whole numbers; it fails on fractions or cuts them off")
ALL_NEGATIVE = Refusal(EVERY_METRIC, all_negative, "stops or crashes on a query with only negative grades")
UNJUDGED_HOLES = Refusal(
    ("unjudged",),
    every_query,
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
            retrieved_nothing,
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
            without_nonrelevant,
            "returns nan for bpref if no document is judged non-relevant (ranx issue 66)",
            is_undefined=True,
        ),
        Refusal(
            ("bpref",),
            without_relevant_among_others,
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
        Variant(("mrr",), policy=MS_MARCO, when=has_cutoff),
        Variant(("judged", "compatibility"), policy=MS_MARCO),
        Variant(("accuracy",), policy={"ties": "input_order", "precision": "float64"}),
        Variant(("err",), policy={**GDEVAL, "max_grade": 4.0}, digits=5),
        Variant(("ndcg",), policy=GDEVAL, when=gains_exponentially, digits=5),
        Variant(("num_q", "num_rel", "num_ret", "num_rel_ret"), policy={"missing": "skip"}),
        Variant(NDEVAL, policy=MS_MARCO),
    ),
    refusals=(
        WHOLE_GRADES,
        ALL_NEGATIVE,
        Refusal(("err",), above_four, "fails on a grade above 4 (gdeval)"),
        Refusal(("err",), named_by_text, "fails on query ids that are not numbers (gdeval)"),
        Refusal(("ndcg",), above_four, "fails on a grade above 4 (gdeval)", gains_exponentially),
        Refusal(("ndcg",), named_by_text, "fails on query ids that are not numbers (gdeval)", gains_exponentially),
        Refusal(("accuracy",), all_relevant, "divides by zero if all retrieved documents are relevant"),
        Refusal(NDEVAL, every_query, "has no diversity metrics beyond rank 20 (pyndeval)", deeper_than_20),
        Refusal(
            ("alpha_dcg", "err_ia"),
            every_query,
            "does not divide by the number of subtopics at rank 1 (pyndeval)",
            at_the_top,
            is_undefined=True,
        ),
        Refusal(
            ("nnrbp",),
            without_relevant,
            "returns nan for a query without a relevant document (pyndeval)",
            of_rankings=True,
            is_undefined=True,
        ),
        Refusal(("judged",), retrieved_nothing, "divides by zero on a query with an empty ranking", of_rankings=True),
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
