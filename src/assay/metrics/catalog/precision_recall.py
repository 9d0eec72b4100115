"""Precision and recall, at a cutoff or at R; their harmonic mean; the first relevant document."""

import numpy as np

from assay.arrays import Ints, ratio
from assay.grammar import REQUIRED, Param, one_of, positive
from assay.metrics.definition import CUTOFF, CUTOFF_NEEDED, JUDGED_ONLY, REL, GradedRun, Metric, Scores
from assay.metrics.ties import chance_of_none, expected_first, tied_relevant

MULTIPLE = Param("multiple", positive, REQUIRED, "the cutoff as a multiple of R", at=True)


def r_precision_multiple(run: GradedRun, multiple: float, rel: float | None) -> Scores:
    """Precision at a multiple of R, the number of relevant documents of the query.

    The cutoff is multiple · R + 0.9 rounded down, as in trec_eval. The divisor is the cutoff even if the ranking is
    shorter.
    """
    cutoff = _multiple_of_r(run, multiple, rel)
    return ratio(run.relevant(rel).n_within(cutoff), cutoff)


def expected_r_precision_multiple(run: GradedRun, multiple: float, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    cutoff = _multiple_of_r(run, multiple, rel)
    return ratio(tied_relevant(run, rel).expected_count(cutoff), cutoff)


def _multiple_of_r(run: GradedRun, multiple: float, rel: float | None) -> Ints:
    return np.floor(multiple * run.n_relevant(rel) + 0.9).astype(np.int64)


R_PRECISION_MULTIPLE = Metric(
    "rprec_mult",
    r_precision_multiple,
    expected=expected_r_precision_multiple,
    params=(MULTIPLE, REL),
    aliases=("r_precision_multiple",),
    formula="relevant in top c ÷ c,  c = ⌊multiple · R + 0.9⌋",
    cite="Buckley & Voorhees 2005, TREC: Experiment and Evaluation in Information Retrieval, ch. 3",
    trec=("Rprec_mult_{multiple:.2f}",),
)


def capped_recall(run: GradedRun, k: int, rel: float | None) -> Scores:
    """Number of relevant documents in the first k, as a share of the largest number possible.

    Equal to precision if k is at most R, and to recall if k is at least R. trec_eval calls it relative precision, and BEIR
    calls it R_cap.
    """
    return ratio(run.relevant(rel).n_within(k), run.n_relevant(rel).clip(max=k))


def expected_capped_recall(run: GradedRun, k: int, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    return ratio(tied_relevant(run, rel).expected_count(k), run.n_relevant(rel).clip(max=k))


CAPPED_RECALL = Metric(
    "capped_recall",
    capped_recall,
    expected=expected_capped_recall,
    params=(CUTOFF_NEEDED, REL, JUDGED_ONLY),
    aliases=("r_cap", "recall_cap", "relative_p", "relative_precision"),
    formula="relevant in top k ÷ min(k, R)",
    cite="Thakur et al. 2021, BEIR, NeurIPS Datasets and Benchmarks",
    trec=("relative_P_{k}",),
)


F_BETA = Param("beta", positive, 1.0, "weight of recall relative to precision; 2: recall is twice as important", dot=False)


def f_measure(run: GradedRun, k: int, rel: float | None, beta: float) -> Scores:
    """Weighted harmonic mean of precision and recall within the first k.

    β is squared, as in textbooks; set_f, which follows trec_eval, does not square it. 0 if nothing relevant is found.
    """
    n_hits = run.relevant(rel).n_within(k)
    return ratio((1 + beta**2) * n_hits, k + beta**2 * run.n_relevant(rel))


def expected_f_measure(run: GradedRun, k: int, rel: float | None, beta: float) -> Scores:
    """The mean over all orders of ties."""
    n_hits = tied_relevant(run, rel).expected_count(k)
    return ratio((1 + beta**2) * n_hits, k + beta**2 * run.n_relevant(rel))


F_MEASURE = Metric(
    "f",
    f_measure,
    expected=expected_f_measure,
    params=(CUTOFF_NEEDED, REL, F_BETA, JUDGED_ONLY),
    aliases=("f_measure", "fbeta", "f_beta", "f_score"),
    titles={"f1": {"beta": 1.0}},
    mistaken_for=("set_f",),
    formula="(1 + β²) · precision · recall ÷ (β² · precision + recall)",
    cite="van Rijsbergen 1979, Information Retrieval",
)


def hit(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """Whether any of the first k documents is relevant.

    Each query scores 1 or 0, so the mean is the share of queries with a hit. trec_eval calls it success. Person
    re-identification calls it cmc, the cumulative match characteristic.
    """
    return (run.relevant(rel).n_within(k) > 0).astype(float)


def expected_hit(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    return 1.0 - chance_of_none(tied_relevant(run, rel), k)


HIT = Metric(
    "hit",
    hit,
    expected=expected_hit,
    params=(CUTOFF, REL, JUDGED_ONLY),
    aliases=("hit_rate", "hitrate", "success", "top_k_accuracy", "cmc"),
    mistaken_for=("recall",),
    formula="1 if a relevant document is in the top k, else 0",
    cite="Buckley & Voorhees 2005, TREC: Experiment and Evaluation in Information Retrieval, ch. 3",
    trec=("success_{k}",),
)


PRECISION_OVER = Param(
    "over",
    one_of("k", "retrieved"),
    "k",
    "the divisor. k: the cutoff; retrieved: the number of documents retrieved within k",
)


def precision(run: GradedRun, k: int, rel: float | None, over: str) -> Scores:
    """Share of the first k documents that are relevant.

    The divisor is k even if the ranking is shorter, unless over=retrieved.
    """
    n_hits = run.relevant(rel).n_within(k)
    return ratio(n_hits, k if over == "k" else run.n_retrieved.clip(max=k))


def expected_precision(run: GradedRun, k: int, rel: float | None, over: str) -> Scores:
    """The mean over all orders of ties."""
    n_hits = tied_relevant(run, rel).expected_count(k)
    return ratio(n_hits, k if over == "k" else run.n_retrieved.clip(max=k))


PRECISION = Metric(
    "precision",
    precision,
    expected=expected_precision,
    params=(CUTOFF_NEEDED, REL, PRECISION_OVER, JUDGED_ONLY),
    aliases=("p", "prec"),
    mistaken_for=("capped_recall", "hit"),
    formula="relevant in top k ÷ k",
    cite="Cleverdon & Keen 1966, Factors Determining the Performance of Indexing Systems",
    trec=("P_{k}",),
)


def r_precision(run: GradedRun, rel: float | None) -> Scores:
    """Precision at R, the number of relevant documents of the query.

    The divisor is R even if fewer than R documents are retrieved. At rank R, precision and recall are equal.
    """
    total = run.n_relevant(rel)
    return ratio(run.relevant(rel).n_within(total), total)


def expected_r_precision(run: GradedRun, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    total = run.n_relevant(rel)
    return ratio(tied_relevant(run, rel).expected_count(total), total)


R_PRECISION = Metric(
    "rprec",
    r_precision,
    expected=expected_r_precision,
    params=(REL, JUDGED_ONLY),
    aliases=("r_precision", "r-precision", "r_prec"),
    formula="relevant in top R ÷ R",
    cite="Buckley & Voorhees 2005, TREC: Experiment and Evaluation in Information Retrieval, ch. 3",
    trec=("Rprec",),
)


def recall(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """Share of the relevant documents that are among the first k.

    Without a cutoff, the whole ranking counts. A query with no relevant documents scores 0.
    """
    return ratio(run.relevant(rel).n_within(k), run.n_relevant(rel))


def expected_recall(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    return ratio(tied_relevant(run, rel).expected_count(k), run.n_relevant(rel))


RECALL = Metric(
    "recall",
    recall,
    expected=expected_recall,
    params=(CUTOFF, REL, JUDGED_ONLY),
    aliases=("r",),
    mistaken_for=("hit", "capped_recall"),
    formula="relevant in top k ÷ R",
    cite="Cleverdon & Keen 1966, Factors Determining the Performance of Indexing Systems",
    trec=("recall_{k}",),
)


def reciprocal_rank(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """One over the rank of the first relevant document.

    0 if none of the first k documents is relevant.
    """
    first = run.relevant(rel).top(k).first_rank()
    return ratio(first > 0, first)


def expected_reciprocal_rank(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    return expected_first(tied_relevant(run, rel), k)


RECIPROCAL_RANK = Metric(
    "mrr",
    reciprocal_rank,
    expected=expected_reciprocal_rank,
    params=(CUTOFF, REL, JUDGED_ONLY),
    aliases=("rr", "recip_rank", "reciprocal_rank", "mean_reciprocal_rank"),
    formula="1 ÷ rank of the first relevant document",
    cite="Kantor & Voorhees 2000, The TREC-5 Confusion Track, Information Retrieval 2",
    trec=("recip_rank",),
)
