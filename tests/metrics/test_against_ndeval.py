"""Metrics of diversity against ndeval, the program of the TREC Web Track: numbers kept from it, and the program itself.

Its names stand beside ours. At k = 1 it forgets to divide alpha-DCG and ERR-IA, and it says nan where nothing is relevant.
"""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay

from ._cases import close

ABOUT = {
    "q1": {"d1": "a", "d2": "ab", "d4": "c", "d5": "bc", "d6": "abc", "d7": "a"},
    "q2": {"d1": "xy", "d2": "xz", "d3": "yw", "d4": "z"},
}
JUDGED = [
    *((query, doc, 1, letter) for query, docs in ABOUT.items() for doc, letters in docs.items() for letter in letters),
    ("q1", "d3", 0, "b"),
]
RUN = {"q1": ["d1", "x1", "d2", "d7", "d5", "d3"], "q2": ["d2", "d3", "d4", "x9", "d1"]}


KEPT = {
    "alpha_dcg@5": (0.5351737631522625, 0.6418784078475206),
    "alpha_ndcg@2": (0.2754115523761867, 1.0),
    "alpha_ndcg@5": (0.5790421934098848, 0.9802661381149099),
    "err_ia@5": (0.45083207261724667, 0.611195158850227),
    "nerr_ia@3": (0.4, 0.95),
    "precision_ia@5": (0.4, 0.35),
    "subtopic_recall@3": (2 / 3, 1.0),
    "nrbp": (0.375, 0.59765625),
    "nnrbp": (0.4012539184952978, 0.9622641509433962),
    "map_ia": (0.3050925925925926, 0.6208333333333333),
    "alpha_dcg(alpha=0.25)@5": (0.4524640049724519, 0.5121512540753256),
    "alpha_ndcg(alpha=0.25)@2": (0.2533958444772895, 1.0),
    "alpha_ndcg(alpha=0.25)@5": (0.5519496835432924, 0.9728415636001845),
    "err_ia(alpha=0.25)@5": (0.3993180906538308, 0.5126353790613718),
    "nerr_ia(alpha=0.25)@3": (0.3781094527363184, 0.9285714285714285),
    "nrbp(alpha=0.25, beta=0.8)": (0.41664, 0.46944),
    "nnrbp(alpha=0.25, beta=0.8)": (0.5485338725985844, 0.949514563106796),
}
"""Scores of the two queries that ndeval gave."""


def test_numbers_that_ndeval_gave():
    for metric, expected in KEPT.items():
        assert tuple(assay.evaluate(JUDGED, RUN, metric).scores(metric).values()) == close(expected), metric


NAMES = {
    **{f"alpha-DCG@{k}": f"alpha_DCG(alpha={{alpha}})@{k}" for k in (2, 5, 20)},
    **{f"alpha-nDCG@{k}": f"alpha_nDCG(alpha={{alpha}})@{k}" for k in (1, 5, 20)},
    **{f"ERR-IA@{k}": f"ERR_IA(alpha={{alpha}})@{k}" for k in (2, 5, 20)},
    **{f"nERR-IA@{k}": f"nERR_IA(alpha={{alpha}})@{k}" for k in (1, 5, 20)},
    **{f"P-IA@{k}": f"P_IA@{k}" for k in (1, 5)},
    **{f"strec@{k}": f"StRecall@{k}" for k in (1, 5)},
    "NRBP": "NRBP(alpha={alpha}, beta={beta})",
    "nNRBP": "nNRBP(alpha={alpha}, beta={beta})",
    "MAP-IA": "AP_IA",
}
"""As ndeval writes them → as ir_measures does, which assay reads."""
GRADES = st.dictionaries(
    st.tuples(st.sampled_from([f"d{number}" for number in range(12)]), st.sampled_from("abcd")),
    st.integers(0, 2),
    min_size=1,
    max_size=30,
)
RANKINGS = st.lists(st.sampled_from([f"d{number}" for number in range(14)]), unique=True, min_size=1)


@given(GRADES, RANKINGS, st.sampled_from([0, 0.25, 0.5, 0.75, 1]), st.sampled_from([0.2, 0.5, 0.8]))
def test_the_program_itself(grades, ranking, alpha, beta):
    """These alphas are sums of halves, so that both see the same documents as equal."""
    pyndeval = pytest.importorskip("pyndeval")
    names = {theirs: ours.format(alpha=alpha, beta=beta) for theirs, ours in NAMES.items()}
    rows = [("q", letter, doc, grade) for (doc, letter), grade in grades.items()]
    run = [("q", doc, float(-rank)) for rank, doc in enumerate(ranking)]
    wanted = pyndeval.ndeval(rows, run, list(names), alpha=alpha, beta=beta)["q"]
    judged = [(query, doc, grade, letter) for query, letter, doc, grade in rows]
    found = assay.evaluate(judged, {"q": ranking}, list(names.values()))
    for theirs, ours in names.items():
        assert found[ours] == close(0.0 if math.isnan(wanted[theirs]) else wanted[theirs]), theirs
