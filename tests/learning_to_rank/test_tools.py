"""The profiles of LightGBM, XGBoost and scikit-learn give the numbers of these tools, on drawn data with ties."""

import lightgbm
import numpy as np
import pytest
import xgboost
from sklearn.metrics import average_precision_score, dcg_score, label_ranking_average_precision_score, ndcg_score

import assay
from assay import BadParameter, DataError, find_profile
from assay.metrics import parse_metrics

N_TRIALS = 25


def by_lightgbm(metric, labels, scores, sizes, k):
    """The value that LightGBM reports for scores: it boosts on a constant feature, so that the scores do not change."""
    data = lightgbm.Dataset(np.zeros((len(labels), 1)), labels, group=sizes, init_score=scores, free_raw_data=False)
    settings = {"objective": "lambdarank", "metric": metric, "eval_at": [k], "verbose": -1, "num_threads": 1}
    told = {}
    lightgbm.train(
        {**settings, "feature_pre_filter": False},
        data,
        1,
        valid_sets=[data],
        valid_names=["test"],
        callbacks=[lightgbm.record_evaluation(told)],
    )
    return next(iter(told["test"].values()))[0]


def by_xgboost(metric, labels, scores, sizes, **settings):
    """The value that XGBoost reports for scores: a model without trees, so that the margin is the score."""
    matrix = xgboost.DMatrix(np.zeros((len(labels), 1)), labels, base_margin=scores)
    matrix.set_group(sizes)
    booster = xgboost.Booster({"objective": "rank:ndcg", "eval_metric": metric, "nthread": 1, **settings}, [matrix])
    return float(booster.eval(matrix).rpartition(":")[2])


def drawn(seed):
    """Labels, scores with ties, sizes of queries, and a cutoff; some queries have no relevant document."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 12, int(rng.integers(1, 5)))
    labels = rng.integers(0, 2 if seed % 2 else 5, sizes.sum()) * (rng.random(sizes.sum()) < 0.6)
    return labels.astype(float), rng.integers(0, int(rng.integers(1, 8)), sizes.sum()) / 4, sizes, int(rng.integers(1, 7))


def nested(values, sizes):
    parts = np.split(np.asarray(values), np.cumsum(sizes)[:-1])
    return {
        f"q{number}": {f"d{place}": float(value) for place, value in enumerate(part)} for number, part in enumerate(parts)
    }


def ours(metric, labels, scores, sizes, profile):
    result = assay.evaluate(nested(labels, sizes), nested(scores, sizes), metric, profile=profile)
    return result[metric]


def test_lightgbm():
    for seed in range(N_TRIALS):
        labels, scores, sizes, k = drawn(seed)
        for metric in ("ndcg", "map"):
            theirs = by_lightgbm(metric, labels, scores, sizes, k)
            assert ours(f"{metric}@{k}", labels, scores, sizes, "lightgbm") == pytest.approx(theirs, abs=1e-12), (
                seed,
                metric,
            )


def test_xgboost():
    plain, minus = find_profile("xgboost"), find_profile("xgboost").adjusted(no_relevant="zero")
    for seed in range(N_TRIALS):
        labels, scores, sizes, k = drawn(seed)
        names = {f"ndcg@{k}": (f"ndcg@{k}", plain), f"ndcg@{k}-": (f"ndcg@{k}", minus), "ndcg": ("ndcg", plain)}
        if labels.max() <= 1:
            names |= {f"map@{k}": (f"map@{k}", plain), f"map@{k}-": (f"map@{k}", minus), "map": ("map", plain)}
            names |= {f"pre@{k}": (f"precision@{k}", plain), "pre": ("set_precision", plain)}
        for name, (metric, profile) in names.items():
            theirs = by_xgboost(name, labels, scores, sizes)
            if not name.endswith("-"):
                assert [one.name for one in parse_metrics(name, "xgboost")] == [metric]
            assert ours(metric, labels, scores, sizes, profile) == pytest.approx(theirs, abs=1e-9), (seed, name)
        theirs = by_xgboost(f"ndcg@{k}", labels, scores, sizes, ndcg_exp_gain=False)
        linear = assay.evaluate(nested(labels, sizes), nested(scores, sizes), f"ndcg(gain=linear)@{k}", profile=plain)
        assert linear[f"ndcg(gain=linear)@{k}"] == pytest.approx(theirs, abs=1e-9), seed


def test_scikit_learn():
    for seed in range(2 * N_TRIALS):
        labels, scores, _, k = drawn(seed)
        if len(labels) < 2:
            continue
        one = [len(labels)]
        for name, theirs in {
            f"ndcg@{k}": ndcg_score([labels], [scores], k=k),
            "ndcg": ndcg_score([labels], [scores]),
            f"dcg@{k}": dcg_score([labels], [scores], k=k),
        }.items():
            assert ours(name, labels, scores, one, "scikit-learn") == pytest.approx(theirs, abs=1e-12), (seed, name)
        if labels.max() <= 1:
            lrap = label_ranking_average_precision_score([labels.astype(int)], [scores])
            assert ours("lrap", labels, scores, one, "scikit-learn") == pytest.approx(lrap, abs=1e-12), seed
        if labels.max() == 1:  # scikit-learn warns that average precision is undefined without a relevant document
            precision = average_precision_score(labels.astype(int), scores)
            assert ours("map", labels, scores, one, "scikit-learn") == pytest.approx(precision, abs=1e-12), seed


def test_names_of_scikit_learn_and_xgboost():
    labels, scores, one = np.array([1.0, 0, 0, 1, 0]), np.array([0.1, 0.7, 0.2, 0.9, 0.2]), [5]
    for name, theirs in {
        "ndcg_score": ndcg_score([labels], [scores]),
        "ndcg_score(k=3)": ndcg_score([labels], [scores], k=3),
        "dcg_score@3": dcg_score([labels], [scores], k=3),
        "average_precision_score": average_precision_score(labels.astype(int), scores),
        "label_ranking_average_precision_score": label_ranking_average_precision_score([labels.astype(int)], [scores]),
    }.items():
        assert ours(name, labels, scores, one, "scikit-learn") == pytest.approx(theirs, abs=1e-12), name
    assert ours("pre@3", labels, scores, one, "xgboost") == pytest.approx(by_xgboost("pre@3", labels, scores, one))
    for name in ("ndcg@5-", "ndcg-", "map@3-", "pre@3-"):
        with pytest.raises(BadParameter, match=f"Write {name[:-1]} and add --no-relevant zero"):
            ours(name, labels, scores, one, "xgboost")


EMPTY = np.array([0.0, 0.0]), np.array([1.0, 2.0]), [2]


def test_a_query_without_relevant_documents_scores_1_or_0():
    assert by_lightgbm("ndcg", *EMPTY, 5) == by_xgboost("ndcg@5", *EMPTY) == 1
    assert by_xgboost("ndcg@5-", *EMPTY) == by_xgboost("pre@5", *EMPTY) == ndcg_score([[0, 0]], [[1, 2]]) == 0
    for profile, value in {"lightgbm": 1, "xgboost": 1, "scikit-learn": 0}.items():
        assert ours("ndcg@5", *EMPTY, profile) == value
    assert ours("precision@5", *EMPTY, "xgboost") == 0
    assert ours("lrap", *EMPTY, "scikit-learn") == label_ranking_average_precision_score([[0, 0]], [[1, 2]]) == 1


def test_no_relevant_one_applies_to_metrics_whose_best_score_is_1():
    policy = assay.Policy(no_relevant="one")
    metrics = ["ndcg@5", "map", "mrr", "hit@3", "dcg@5", "num_rel", "judged@10", "err@5"]
    scores = assay.evaluate({"q1": {"a": 0}, "q2": {"a": 1}}, {"q1": {"a": 1.0}, "q2": {"x": 1.0}}, metrics, policy=policy)
    assert {name: scores.scores(name)["q1"] for name in metrics[:4]} == dict.fromkeys(metrics[:4], 1.0)
    assert {name: scores.scores(name)["q1"] for name in ("dcg@5", "num_rel")} == {"dcg@5": 0.0, "num_rel": 0.0}
    assert scores.scores("judged@10") == {"q1": 1.0, "q2": 0.0}
    assert scores.scores("map") == {"q1": 1.0, "q2": 0.0}
    graded = assay.evaluate({"q1": {"a": 1}}, {"q1": {"a": 1.0}}, "map(rel=2)", policy=policy)
    assert graded["map(rel=2)"] == 1.0  # at its own level, the query has no relevant document


REFUSED = {
    "lightgbm, fractions": ("lightgbm", "ndcg@5", [0.5, 1], lambda data: by_lightgbm("ndcg", *data, 5)),
    "lightgbm, negative": ("lightgbm", "ndcg@5", [-1, 1], lambda data: by_lightgbm("ndcg", *data, 5)),
    "lightgbm, 31": ("lightgbm", "ndcg@5", [31, 1], lambda data: by_lightgbm("ndcg", *data, 5)),
    "xgboost, fractions": ("xgboost", "ndcg@5", [0.5, 1], lambda data: by_xgboost("ndcg@5", *data)),
    "xgboost, negative": ("xgboost", "ndcg@5", [-1, 1], lambda data: by_xgboost("ndcg@5", *data)),
    "xgboost, 32": ("xgboost", "ndcg@5", [32, 1], lambda data: by_xgboost("ndcg@5", *data)),
    "xgboost, grades in map": ("xgboost", "map@5", [2, 1], lambda data: by_xgboost("map@5", *data)),
    "xgboost, grades in pre": ("xgboost", "precision@5", [2, 1], lambda data: by_xgboost("pre@5", *data)),
    "scikit-learn, negative": ("scikit-learn", "ndcg@5", [-1, 1], lambda data: ndcg_score([data[0]], [data[1]])),
    "scikit-learn, one document": ("scikit-learn", "ndcg@5", [1], lambda data: ndcg_score([data[0]], [data[1]])),
    "scikit-learn, grades in lrap": (
        "scikit-learn",
        "lrap",
        [2, 1, 0],
        lambda data: label_ranking_average_precision_score([data[0].astype(int)], [data[1]]),
    ),
}


def test_where_a_tool_fails_the_profile_refuses():
    for case, (profile, metric, labels, call) in REFUSED.items():
        data = np.array(labels, dtype=float), np.arange(len(labels), dtype=float), [len(labels)]
        with pytest.raises((ValueError, lightgbm.basic.LightGBMError, xgboost.core.XGBoostError)):
            call(data)
        with pytest.raises(DataError, match=profile) as caught:
            ours(metric, *data, profile)
        assert "stops at" in str(caught.value), case


def test_why_names_the_tool_that_gives_a_number():
    labels, scores, sizes = np.array([1.0, 3, 0, 2, 0, 0]), np.array([1.0, 1, 1, 0, 2, 1]), [4, 2]
    theirs = by_lightgbm("ndcg", labels, scores, sizes, 3)
    (found,) = assay.why(nested(labels, sizes), nested(scores, sizes), "ndcg@3", expected=f"{theirs:.6f}")
    assert {figure.tool for figure in found.matches} >= {"lightgbm", "xgboost"}
    zero = by_xgboost("ndcg@3-", labels, scores, sizes)
    (found,) = assay.why(nested(labels, sizes), nested(scores, sizes), "ndcg@3", expected=f"{zero:.6f}")
    assert "xgboost ndcg-" in {figure.label for figure in found.matches}
