"""Plain loops that know the scores of metrics which no other tool has; golden.json has values of them."""

from math import log, log2

from ._cases import TOP, n_relevant, relevant, worth


def f_measure(ranked, missed, k, rel=None, beta=1):
    """Precision and recall, combined as the textbook does."""
    found = sum(relevant(grade, rel) for grade in ranked[:k])
    p, r = found / k, found / (n_relevant(ranked, missed, rel) or 1)
    return (1 + beta**2) * p * r / (beta**2 * p + r) if p else 0.0


def precision_of_retrieved(ranked, missed, k, rel=None):
    return sum(relevant(grade, rel) for grade in ranked[:k]) / (len(ranked[:k]) or 1)


def reciprocal_rank(ranked, missed, k=None, rel=None):
    return next((1 / rank for rank, grade in enumerate(ranked[:k], 1) if relevant(grade, rel)), 0.0)


def average_precision(ranked, missed, k=None, rel=None, most=None):
    """Walk down the ranking, noting the precision at every relevant document."""
    precisions = []
    for rank, grade in enumerate(ranked[:k], 1):
        if relevant(grade, rel):
            precisions.append((len(precisions) + 1) / rank)
    total = n_relevant(ranked, missed, rel)
    return sum(precisions) / min(total, most or total) if total else 0.0


def yaap(ranked, missed, rel=None):
    """The odds of the summed precisions against what is lacking to R, each smoothed by 1."""
    total = n_relevant(ranked, missed, rel)
    found = average_precision(ranked, missed, rel=rel) * total
    return log((1 + found) / (1 + total - found)) if ranked else 0.0


def err(ranked, missed, k=None, top=TOP):
    """Follow the user down: at each rank they are satisfied, or go on."""
    still_reading, expected = 1.0, 0.0
    for rank, grade in enumerate(ranked[:k], 1):
        satisfied = (2 ** min(max(grade or 0, 0), top) - 1) / 2**top
        expected += still_reading * satisfied / rank
        still_reading *= 1 - satisfied
    return expected


def nerr(ranked, missed, k=None, top=TOP):
    """The err of the ranking ÷ the err of all grades sorted."""
    best = err(sorted((grade for grade in [*ranked, *missed] if grade is not None), reverse=True), [], k, top)
    return err(ranked, missed, k, top) / best if best else 0.0


def discounted(gains, original=False):
    """What each rank gains, added up; the original discount of 2002 spares the first two."""
    return sum(gain / (max(log2(rank), 1) if original else log2(rank + 1)) for rank, gain in enumerate(gains, 1))


def _counts(grade, rel):
    return rel is None or (grade is not None and grade >= rel)


def dcg(ranked, missed, k=None, gain="linear", rel=None, original=False):
    return discounted((worth(grade, gain) if _counts(grade, rel) else 0 for grade in ranked[:k]), original)


def ideal_dcg(ranked, missed, k=None, gain="linear", rel=None, original=False):
    """Sort all gains, best first."""
    grades = [grade for grade in [*ranked, *missed] if grade is not None and _counts(grade, rel)]
    return discounted(sorted((worth(grade, gain) for grade in grades), reverse=True)[:k], original)


def ndcg(ranked, missed, **given):
    ideal = ideal_dcg(ranked, missed, **given)
    return dcg(ranked, missed, **given) / ideal if ideal else 0.0


def q_measure(ranked, missed, k=None, gain="linear", beta=1):
    """At each gaining document: (how many so far + β · gain so far) ÷ (rank + β · gain of the ideal so far)."""
    ideal = sorted((value for grade in [*ranked, *missed] if (value := worth(grade, gain)) > 0), reverse=True)
    found, gained, total = 0, 0.0, 0.0
    for rank, grade in enumerate(ranked[:k], 1):
        if (value := worth(grade, gain)) > 0:
            found, gained = found + 1, gained + value
            total += (found + beta * gained) / (rank + beta * sum(ideal[:rank]))
    return total / len(ideal) if ideal else 0.0


def graded_rbp(ranked, missed, p=0.8, top=None):
    """Each grade counts as a share of the largest: of the scale, or of the query."""
    top = top or max((grade for grade in [*ranked, *missed] if grade is not None), default=0)
    return (1 - p) * sum(p**above * max(grade or 0, 0) / top for above, grade in enumerate(ranked)) if top > 0 else 0.0


def rbp_residual(ranked, missed, p=0.8):
    """All weight there is, less what lies on judged documents."""
    return 1 - (1 - p) * sum(p**above for above, grade in enumerate(ranked) if grade is not None and grade >= 0)


def unjudged(ranked, missed, k):
    """Those without a grade from 0 up."""
    return sum(grade is None or grade < 0 for grade in ranked[:k]) / k


def relstring(ranked, missed, k=10):
    def letter(grade):
        return "-" if grade is None else "." if grade < 0 else ">" if grade >= 10 else str(int(grade))

    return "".join(map(letter, ranked[:k]))


def rank_of_first(ranked, missed, k, rel=None):
    """Go down to the first relevant document; give up after k."""
    return next((rank for rank, grade in enumerate(ranked[:k], 1) if relevant(grade, rel)), k + 1)


def rsum(ranked, missed, rel=None):
    """R@1, R@5 and R@10 in per cent, added up."""
    return sum(100 * any(relevant(grade, rel) for grade in ranked[:k]) for k in (1, 5, 10))


def map_at_r(ranked, missed, rel=None):
    """Average precision of the first R ranks (Musgrave et al. 2020, section 3.2)."""
    total = n_relevant(ranked, missed, rel)
    return average_precision(ranked, missed, k=total, rel=rel) if total else 0.0


def minp(ranked, missed, rel=None):
    """R over the rank of the hardest match (Ye et al. 2021, section 4.1); 0 if it was not retrieved."""
    ranks = [rank for rank, grade in enumerate(ranked, 1) if relevant(grade, rel)]
    total = n_relevant(ranked, missed, rel)
    return total / ranks[-1] if ranks and len(ranks) == total else 0.0
