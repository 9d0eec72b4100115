"""Counts of queries, documents and judgments, and the grades of a ranking as text."""

import numpy as np

from assay.arrays import ratio
from assay.grammar import Param, cutoff, number
from assay.metrics.definition import CUTOFF, CUTOFF_NEEDED, REL, GradedRun, Metric, Scores
from assay.metrics.ties import tied_hits, tied_relevant
from assay.model import SUM, TEXT

RELSTRING_LENGTH = Param("k", cutoff, 10, "number of documents to show", ("cutoff",), at=True)


def relstring(run: GradedRun, k: int) -> list[str]:
    """Grades of the first k documents, one character for each.

    A digit is the grade, rounded down; `>` is a grade of 10 or more, `-` an unjudged document, `.` a negative grade.
    """
    lengths = np.minimum(run.n_retrieved, k)
    letters = np.full((run.n_queries, int(lengths.max(initial=0))), "-", dtype="U1")
    hits = run.retrieved.top(k)
    letters[hits.query, hits.rank - 1] = [_grade_letter(grade) for grade in hits.grade.tolist()]
    return ["".join(row[:n]) for row, n in zip(letters, lengths.tolist(), strict=True)]


def _grade_letter(grade: float) -> str:
    if grade < 0:
        return "."
    return ">" if grade >= 10 else str(int(grade))


RELSTRING = Metric(
    "relstring",
    relstring,
    params=(RELSTRING_LENGTH,),
    range=(float("nan"), float("nan")),
    aggregation=TEXT,
    formula="one character per rank",
    cite="trec_eval 9, m_relstring.c",
    trec=("relstring", "relstring_{k}"),
)


def judged(run: GradedRun, k: int | None) -> Scores:
    """Share of the first k retrieved documents that have a judgment.

    The divisor is the number of documents retrieved within k, not k. A negative grade is a judgment here, as in ir_measures.
    """
    seen = run.n_retrieved if k is None else run.n_retrieved.clip(max=k)
    return ratio(run.retrieved.n_within(k), seen)


def expected_judged(run: GradedRun, k: int | None) -> Scores:
    """The mean over all orders of ties."""
    seen = run.n_retrieved if k is None else run.n_retrieved.clip(max=k)
    return ratio(tied_hits(run).expected_count(k), seen)


JUDGED = Metric(
    "judged",
    judged,
    expected=expected_judged,
    params=(CUTOFF,),
    formula="judged in top k ÷ retrieved in top k",
    cite="MacAvaney, Macdonald & Ounis 2022, Streamlining Evaluation with ir-measures, ECIR",
)


def num_nonrel_judged_ret(run: GradedRun, rel: float | None) -> Scores:
    """Number of retrieved documents that are judged not relevant.

    Unjudged documents and negative grades do not count. The summary is the sum over queries.
    """
    return (run.judged.count - run.relevant(rel).count).astype(float)


NUM_NONREL_JUDGED_RET = Metric(
    "num_nonrel_judged_ret",
    num_nonrel_judged_ret,
    params=(REL,),
    range=(0.0, float("inf")),
    higher_is_better=False,
    aggregation=SUM,
    formula="judged non-relevant retrieved",
    cite="trec_eval 9, m_num_nonrel_judged_ret.c",
    trec=("num_nonrel_judged_ret",),
)


def num_q(run: GradedRun) -> Scores:
    """Number of queries that were scored.

    Each scored query counts 1, even if nothing was retrieved for it.
    """
    return np.ones(run.n_queries)


NUM_Q = Metric(
    "num_q",
    num_q,
    aliases=("numq",),
    range=(0.0, float("inf")),
    aggregation=SUM,
    formula="number of queries",
    cite="trec_eval 9, m_num_q.c",
    trec=("num_q",),
)


def num_rel(run: GradedRun, rel: float | None) -> Scores:
    """Number of relevant documents, retrieved or not.

    It depends only on the judgments. The summary is the sum over queries.
    """
    return run.n_relevant(rel).astype(float)


NUM_REL = Metric(
    "num_rel",
    num_rel,
    params=(REL,),
    aliases=("numrel",),
    range=(0.0, float("inf")),
    aggregation=SUM,
    formula="R",
    cite="trec_eval 9, m_num_rel.c",
    trec=("num_rel",),
)


def num_rel_ret(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """Number of relevant documents retrieved.

    With a cutoff, only the first k documents count. The summary is the sum over queries.
    """
    return run.relevant(rel).n_within(k).astype(float)


def expected_num_rel_ret(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    return tied_relevant(run, rel).expected_count(k)


NUM_REL_RET = Metric(
    "num_rel_ret",
    num_rel_ret,
    expected=expected_num_rel_ret,
    params=(CUTOFF, REL),
    aliases=("numrelret",),
    range=(0.0, float("inf")),
    aggregation=SUM,
    formula="relevant retrieved",
    cite="trec_eval 9, m_num_rel_ret.c",
    trec=("num_rel_ret",),
)


def mean_rel_ret(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """Mean number of relevant documents retrieved per query.

    With a cutoff, only the first k documents count. ranx calls it hits. In other tools, hits@k often means hit@k.
    """
    return num_rel_ret(run, k, rel)


MEAN_REL_RET = Metric(
    "mean_rel_ret",
    mean_rel_ret,
    expected=expected_num_rel_ret,
    params=(CUTOFF, REL),
    range=(0.0, float("inf")),
    mistaken_for=("hit", "num_rel_ret"),
    formula="relevant retrieved within k",
    cite="Bassani 2022, ranx: A Blazing-Fast Python Library for Ranking Evaluation and Comparison, ECIR",
)


NUM_RET_LEVEL = Param("rel", number, None, "count only documents with at least this grade")


def num_ret(run: GradedRun, rel: float | None) -> Scores:
    """Number of documents retrieved.

    Unjudged documents count too, unless rel is set. The summary is the sum over queries.
    """
    counts = run.n_retrieved if rel is None else run.relevant(rel).count
    return counts.astype(float)


NUM_RET = Metric(
    "num_ret",
    num_ret,
    params=(NUM_RET_LEVEL,),
    aliases=("numret",),
    range=(0.0, float("inf")),
    aggregation=SUM,
    formula="documents retrieved",
    cite="trec_eval 9, m_num_ret.c",
    trec=("num_ret",),
)


def runid(run: GradedRun) -> list[str]:
    """Tag of the run.

    The last column of a TREC run; empty if the run has no tag.
    """
    return [run.tag] * run.n_queries


RUNID = Metric(
    "runid",
    runid,
    range=(float("nan"), float("nan")),
    aggregation=TEXT,
    formula="text",
    cite="trec_eval 9, m_runid.c",
    trec=("runid",),
)


def unjudged(run: GradedRun, k: int) -> Scores:
    """Share of the first k documents that are unjudged.

    The divisor is k even if fewer documents are retrieved. A negative grade counts as unjudged. Both are as in trec_eval 10.
    """
    return (run.n_retrieved.clip(max=k) - run.judged.n_within(k)) / k


def expected_unjudged(run: GradedRun, k: int) -> Scores:
    """The mean over all orders of ties."""
    return (run.n_retrieved.clip(max=k) - tied_hits(run, run.retrieved.grade >= 0).expected_count(k)) / k


UNJUDGED = Metric(
    "unjudged",
    unjudged,
    expected=expected_unjudged,
    params=(CUTOFF_NEEDED,),
    aliases=("unj", "hole"),
    higher_is_better=False,
    formula="unjudged in top k ÷ k",
    cite="trec_eval 10, m_unj.c",
    trec=("unj_{k}",),
)
