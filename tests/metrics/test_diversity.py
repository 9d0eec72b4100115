"""alpha_dcg, alpha_ndcg, err_ia, nerr_ia, nrbp, nnrbp, precision_ia, map_ia and subtopic_recall."""

import random
from functools import cache
from itertools import permutations, product
from math import isnan, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.metrics import all_metrics, parse_metric, parse_metrics

from ._cases import close
from ._subtopics import CASES, LETTERS, Case, as_rows, gain, ideal, judgments_and_run, score
from ._ties import orders

LOG3 = log2(3)
WORKED_OUT = [  # metric, the subtopics of the document at each rank, those of what was missed, score
    # the second document repeats a, which then gains half, and adds b; two subtopics could gain 2 · (1 + 0.5 / log₂ 3)
    ("alpha_dcg@2", ["a", "ab"], [], (1 + 1.5 / LOG3) / (2 * (1 + 0.5 / LOG3))),
    ("alpha_dcg@1", ["a"], ["b"], 1 / 2),  # one of two subtopics; ndeval says 1 here
    # the best ranking is ab, then the other a: 2 + 0.5 / log₂ 3; here the two come the other way round
    ("alpha_ndcg", ["a", "ab"], [], (1 + 1.5 / LOG3) / (2 + 0.5 / LOG3)),
    ("alpha_ndcg@1", ["a"], ["b"], 1),  # no document is about both
    # all three gain 2 at first; the larger id is taken, and leaves less to the others than they would have had:
    # a ranking may be better than the greedy one
    ("alpha_ndcg@2", ["ac", "bd"], ["ab"], (2 + 2 / LOG3) / (2 + 1.5 / LOG3)),
    # a at rank 1, then a again (a half of a half) and b (a half); two subtopics could have 1 + 1/4 each
    ("err_ia@2", ["a", "ab"], [], (1 + 1 / 4 + 1 / 2) / (2 * 5 / 4)),
    ("err_ia@1", ["a"], ["b"], 1 / 2),  # ndeval says 1 here
    ("nerr_ia", ["a", "ab"], [], (7 / 4) / (9 / 4)),  # 1 + 1/4 + 1/2; the other way round 2 + 1/4
    ("nrbp", ["a", "ab"], [], 3 / 4 * (1 + 1 / 4 + 1 / 2) / 2),  # for two subtopics, at 1 − 1/4
    ("nrbp(judged_only=true)", [None, "a"], [], 3 / 4),
    ("nnrbp", ["a", "ab"], [], 7 / 9),
    ("precision_ia@2", ["a", "ab"], [], (1 + 1 / 2) / 2),
    ("precision_ia@4", ["a", "ab"], [], (2 / 4 + 1 / 4) / 2),  # still divided by 4
    ("map_ia", ["a", "ab"], [], (1 + 1 / 2) / 2),
    ("map_ia", ["a"], ["b", "b", "b"], 1 / 2),  # a subtopic weighs the same, however much there is about it
    ("subtopic_recall@2", ["a", "a", "b"], ["c"], 1 / 3),
    *((f"{name}(judged_only=true)@1", [None, "a"], [], 1) for name in ("alpha_dcg", "err_ia", "precision_ia")),
    *((f"{name}(judged_only=true)", [None, "a"], [], 1) for name in ("alpha_ndcg", "nerr_ia", "map_ia", "subtopic_recall")),
]


def log_discount(rank):
    return 1 / log2(rank + 1)


def reciprocal(rank):
    return 1 / rank


def of_the_ideal(ranked, missed, k, alpha, weight):
    best = gain(ideal(ranked, missed, alpha), alpha, weight, k)
    return gain(ranked, alpha, weight, k) / best if best else 0.0


def test_worked_out_by_hand():
    for metric, ranked, missed, expected in WORKED_OUT:
        assert score(metric, ranked, missed) == close(expected), (metric, ranked, missed)


def test_agrees_with_a_plain_loop():
    """Where an ideal ranking is made, for alphas whose sums ndeval rounds."""
    for name, weight in (("alpha_ndcg", log_discount), ("nerr_ia", reciprocal)):
        for alpha, k in product((0.3, 1), (None, 4)):
            metric = f"{name}(alpha={alpha})" + (f"@{k}" if k else "")
            found = assay.evaluate(*judgments_and_run(), metric).array(metric)
            assert found == close([of_the_ideal(*case, k, alpha, weight) for case in CASES]), metric


# ---- ndeval, the program of the TREC Web Track

ABOUT = {
    "q1": {"d1": "a", "d2": "ab", "d4": "c", "d5": "bc", "d6": "abc", "d7": "a"},
    "q2": {"d1": "xy", "d2": "xz", "d3": "yw", "d4": "z"},
}
NDEVAL_JUDGED = [
    *((query, doc, 1, letter) for query, docs in ABOUT.items() for doc, letters in docs.items() for letter in letters),
    ("q1", "d3", 0, "b"),
]
NDEVAL_RUN = {"q1": ["d1", "x1", "d2", "d7", "d5", "d3"], "q2": ["d2", "d3", "d4", "x9", "d1"]}


KEPT = {
    "alpha_dcg@5": (0.5351737631522625, 0.6418784078475206),
    "alpha_ndcg@5": (0.5790421934098848, 0.9802661381149099),
    "err_ia@5": (0.45083207261724667, 0.611195158850227),
    "nerr_ia@3": (0.4, 0.95),
    "precision_ia@5": (0.4, 0.35),
    "subtopic_recall@3": (2 / 3, 1.0),
    "nrbp": (0.375, 0.59765625),
    "nnrbp": (0.4012539184952978, 0.9622641509433962),
    "map_ia": (0.3050925925925926, 0.6208333333333333),
    "alpha_ndcg(alpha=0.25)@5": (0.5519496835432924, 0.9728415636001845),
    "nrbp(alpha=0.25, beta=0.8)": (0.41664, 0.46944),
    "nnrbp(alpha=0.25, beta=0.8)": (0.5485338725985844, 0.949514563106796),
}
"""Scores of the two queries that ndeval gave."""


def test_numbers_that_ndeval_gave():
    for metric, expected in KEPT.items():
        assert tuple(assay.evaluate(NDEVAL_JUDGED, NDEVAL_RUN, metric).scores(metric).values()) == close(expected), metric


GAINS = ("alpha-DCG", "alpha-nDCG", "ERR-IA", "nERR-IA")
NDEVAL_NAMES = {
    **{f"{name}@{k}": f"{name.replace('-', '_')}(alpha={{alpha}})@{k}" for name in GAINS for k in (2, 5, 20)},
    **{f"P-IA@{k}": f"P_IA@{k}" for k in (1, 5)},
    **{f"strec@{k}": f"StRecall@{k}" for k in (1, 5)},
    "NRBP": "NRBP(alpha={alpha}, beta={beta})",
    "nNRBP": "nNRBP(alpha={alpha}, beta={beta})",
    "MAP-IA": "AP_IA",
}
"""As ndeval writes them → as ir_measures does, which assay reads."""
JUDGMENTS = st.tuples(st.sampled_from([f"d{number}" for number in range(12)]), st.sampled_from("abcd"))
GRADES = st.dictionaries(JUDGMENTS, st.integers(0, 2), min_size=1, max_size=30)
RANKINGS = st.lists(st.sampled_from([f"d{number}" for number in range(14)]), unique=True, min_size=1)


@given(GRADES, RANKINGS, st.sampled_from([0, 0.25, 0.5, 0.75, 1]), st.sampled_from([0.2, 0.5, 0.8]))
def test_the_program_itself(grades, ranking, alpha, beta):
    """At k = 1 it forgets to divide alpha-DCG and ERR-IA, and it says nan where nothing is relevant. These alphas are sums
    of halves, so that both see the same documents as equal.
    """
    pyndeval = pytest.importorskip("pyndeval")
    names = {theirs: ours.format(alpha=alpha, beta=beta) for theirs, ours in NDEVAL_NAMES.items()}
    rows = [("q", letter, doc, grade) for (doc, letter), grade in grades.items()]
    run = [("q", doc, float(-rank)) for rank, doc in enumerate(ranking)]
    wanted = pyndeval.ndeval(rows, run, list(names), alpha=alpha, beta=beta)["q"]
    judged = [(query, doc, grade, letter) for query, letter, doc, grade in rows]
    found = assay.evaluate(judged, {"q": ranking}, list(names.values()))
    for theirs, ours in names.items():
        assert found[ours] == close(0.0 if isnan(wanted[theirs]) else wanted[theirs]), theirs


# ---- laws

NAMES = [
    *("alpha_dcg@5", "alpha_ndcg", "alpha_ndcg@5", "alpha_ndcg(alpha=0.3)@5", "err_ia@5", "nerr_ia", "nerr_ia@5"),
    *("nrbp", "nnrbp", "precision_ia@5", "map_ia", "subtopic_recall", "subtopic_recall@5"),
]


def evaluated(cases, **policy):
    return assay.evaluate(*as_rows(cases), NAMES, policy=assay.Policy(**policy))


together = cache(lambda: evaluated(CASES))


def test_scores_lie_in_the_range_the_same_alone_and_in_company_and_nothing_found_is_nothing():
    reading = {metric.name for metric in all_metrics().values() if metric.view == "subtopics"}
    assert {metric.metric.name for metric in parse_metrics(NAMES)} == reading
    nothing = evaluated([Case([], ["a"]), Case(["", None]), Case([""])])
    alone = [evaluated([case]) for case in CASES[::20]]
    for name in NAMES:
        low, high = parse_metric(name).metric.range
        found = together().array(name)
        assert ((found >= low) & (found <= high)).all(), name
        assert found.max() > 0, name
        assert nothing.array(name).tolist() == [0, 0, 0], name
        assert [one.array(name)[0] for one in alone] == found[::20].tolist(), name


def test_the_order_and_names_of_subtopics_do_not_matter():
    rows, run = as_rows(CASES)
    renamed = [(query, doc, grade, f"{9 - LETTERS.index(letter)} ä") for query, doc, grade, letter in rows]
    random.Random(3).shuffle(renamed)
    found = assay.evaluate(renamed, run, NAMES)
    for name in NAMES:
        assert found.scores(name) == close(together().scores(name)), name


def test_with_one_subtopic_it_is_the_metric_of_the_query():
    rng = random.Random(4)
    docs = [f"d{number}" for number in range(9)]
    judged = {f"q{number}": {doc: rng.randint(0, 1) for doc in docs} for number in range(20)}
    run = {query: rng.sample(docs, rng.randint(1, 9)) for query in judged}
    rows = [(query, doc, grade, "s") for query, grades in judged.items() for doc, grade in grades.items()]
    for ours, plain in {
        "alpha_ndcg(alpha=0)@5": "ndcg@5",
        "precision_ia@3": "precision@3",
        "map_ia": "map",
        "subtopic_recall@3": "hit@3",
        "nrbp(alpha=0, beta=0.8)": "rbp(p=0.8)",
        "nerr_ia(alpha=1)": "mrr",
    }.items():
        assert assay.evaluate(rows, run, ours).scores(ours) == close(assay.evaluate(judged, run, plain).scores(plain))


def test_equal_gains_are_found_equal_whatever_they_are_sums_of():
    """0.7 + 0.49 + 1 and 1 + 0.49 + 0.7 are one gain; then the larger id comes first, here as everywhere."""
    cases = [Case(list(order)) for order in permutations(["ab", "bc", "ca", "abc"])]
    expected = [of_the_ideal(*case, 5, 0.3, log_discount) for case in cases]
    assert evaluated(cases).array("alpha_ndcg(alpha=0.3)@5").tolist() == close(expected)


def test_two_settings_of_alpha_do_not_share_anything():
    """ir_measures gives 0 for the second of them (trap 29)."""
    judged, names = [("q", "x", 1, "a"), ("q", "y", 1, "a")], ["alpha_nDCG(alpha=.5)@10", "alpha_nDCG(alpha=.9)@10"]
    both = assay.evaluate(judged, {"q": ["z", "x", "y"]}, names)
    assert all(both[name] == assay.evaluate(judged, {"q": ["z", "x", "y"]}, name)[name] > 0 for name in names)


# ---- judgments


def test_judgments_without_subtopics_are_refused(snapshots):
    part = [{"qid": "q1", "docid": "x", "rel": 1, "subtopic": "s"}, {"qid": "q2", "docid": "x", "rel": 1}]
    for name in NAMES:
        with pytest.raises(assay.DataError):
            assay.evaluate({"q": {"x": 1}}, {"q": ["x"]}, name)
        assert 0 < assay.evaluate([("q", "x", 1, "all")], {"q": ["x"]}, name)[name] <= 1  # one for all is allowed
    snapshots.check_errors(
        "metrics/subtopics",
        {
            "no subtopics": lambda: assay.evaluate({"q": {"x": 1}}, {"q": ["x"]}, "alpha_ndcg@5"),
            "a query judged as a whole": lambda: assay.evaluate(part, {"q1": ["x"]}, "alpha_ndcg@5"),
        },
    )
    part[1]["rel"] = 0  # … without anything relevant does no harm
    assert assay.evaluate(part, {"q1": ["x"], "q2": ["x"]}, "alpha_ndcg@5").scores("alpha_ndcg@5") == {"q1": 1, "q2": 0}


def test_levels_and_negative_grades():
    rows = [("q", "x", 1, "a"), ("q", "y", 2, "a"), ("q", "z", 2, "b"), ("q", "w", -2, "c")]
    names = ["subtopic_recall@1", "StRecall(rel=2)@1"]
    assert list(assay.evaluate(rows, {"q": ["x", "y", "w"]}, names).summary.values()) == [1 / 2, 0]
    assert assay.evaluate(rows, {"q": ["x"]}, names[0], policy=assay.Policy(rel=2))[names[0]] == 0


def test_queries_that_are_left_out_take_nothing_with_them():
    cases = [Case(["a", "b"]), Case(["b", "ab"]), Case([None, "cd", "a"], ["b"])]
    rows, run = as_rows(cases)
    del run["q1"]
    alone = evaluated(cases)
    for missing, queries in (("zero", ["q0", "q1", "q2"]), ("skip", ["q0", "q2"])):
        found = assay.evaluate(rows, run, NAMES, policy=assay.Policy(missing=missing))
        for name in NAMES:
            assert list(found.scores(name)) == queries
            assert all(found.scores(name)[query] == alone.scores(name)[query] for query in ("q0", "q2")), name


# ---- ties


def tied(groups):
    """Judgments and a run in which the documents of a group have one score."""
    docs = [
        (f"{place}.{nth}", about, float(-place)) for place, group in enumerate(groups) for nth, about in enumerate(group)
    ]
    rows = [("q", doc, int(letter in about), letter) for doc, about, _ in docs if about is not None for letter in LETTERS]
    return rows, {"q": {doc: score for doc, _, score in docs}}


def every_order(groups):
    """The same documents with the same judgments, in every order that the groups leave open: a query for each."""
    rows, _ = tied(groups)
    every = orders([[f"{place}.{nth}" for nth in range(len(group))] for place, group in enumerate(groups)])
    judged = [(f"q{number}", *row[1:]) for number in range(len(every)) for row in rows]
    return judged, {f"q{number}": order for number, order in enumerate(every)}


GROUPS = st.lists(
    st.lists(st.sampled_from([None, "", "a", "b", "ab", "bc"]), min_size=1, max_size=3), min_size=1, max_size=2
).filter(lambda groups: any(about is not None for group in groups for about in group))
OTHER_SETTINGS = ["alpha_dcg(alpha=0)@3", "alpha_ndcg@2", "nerr_ia(alpha=1)@3", "nrbp(alpha=0.2, beta=0.9)"]


@given(GROUPS)
def test_the_mean_over_ties_is_that_of_every_order(groups):
    names = [*NAMES, *OTHER_SETTINGS]
    found = assay.evaluate(*tied(groups), names, policy=assay.Policy(ties="expected"))
    every = assay.evaluate(*every_order(groups), names)
    for name in names:
        assert found[name] == close(every.array(name).mean()), name


def test_equal_grades_are_not_the_same_where_subtopics_differ():
    """Documents with one grade; which of them comes first decides, and the band knows."""
    names = ["alpha_ndcg@5", "err_ia@5", "nrbp", "precision_ia@5", "subtopic_recall"]
    result = assay.evaluate(*tied([["ab", "a", "a", "c", "c", "c"], ["b"]]), names, tie_band=True)
    for name in names:
        band = result.tie_bands[name].summary()
        assert band["min"] - 1e-12 <= result[name] <= band["max"] + 1e-12, name
        assert band["min"] < band["max"] or name == "subtopic_recall", name


# ---- names


def test_as_ir_measures_and_ndeval_write_them():
    for written, name in {
        "α_nDCG@10": "alpha_ndcg@10",
        "α_DCG(alpha=0.3)@10": "alpha_dcg(alpha=0.3)@10",
        "NRBP(alpha=0.5, beta=0.8)": "nrbp(beta=0.8)",
        "strec@10": "subtopic_recall@10",
        "MAP-IA": "map_ia",
    }.items():
        assert parse_metric(written).name == name, written
    for wrong in ("alpha_dcg", "err_ia", "precision_ia", "alpha_ndcg(alpha=2)@5", "nrbp(beta=1)", "map_ia@5"):
        with pytest.raises(assay.UsageError):
            parse_metric(wrong)
