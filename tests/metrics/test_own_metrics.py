"""Metrics of one's own: made from a function, named, scored, compared, and read back where nobody knows them."""

import json
import pickle
import re
import sys

import numpy as np
import pytest

import assay
from assay.evaluation import result_from_dict
from assay.grammar import WrittenName
from assay.metrics import find_metric, parse_metric, recorded_metric

from ._cases import close

QRELS = {"q1": {"a": 1}, "q2": {"b": 2}, "q3": {"c": 1}}
RUN = {"q1": ["a", "x"], "q2": ["x", "b"], "q3": ["x", "y", "c"]}


def made(**settings):
    """The metric is registered for good, so its name is one that no other test uses."""

    @assay.metric(**settings)
    def own_top_two(run, k=None, second=0.5, strict=False, word="x"):
        """Whether the first two are right.

        More is not said of it.
        """
        first = run.relevant(2 if strict else None).top(k).first_rank()
        return np.select([first == 1, first == 2], [1.0, second], 0.0)

    return own_top_two


def elsewhere(result):
    """A result as JSON that was written where the metric had another name, which nobody knows here."""
    return json.loads(json.dumps(result.to_dict()).replace("own_top_two", "own_lost"))


def test_a_function_becomes_a_metric():
    metric = made()
    assert (metric.name, metric.higher_is_better) == ("own_top_two", True)
    assert metric.meaning == "Whether the first two are right."
    result = assay.evaluate(QRELS, RUN, [metric, "mrr"])
    assert result.scores("own_top_two") == {"q1": 1.0, "q2": 0.5, "q3": 0.0}
    assert (result["own_top_two"], result[metric.bind()]) == (0.5, 0.5)
    assert made(range=(0.0, 2.0)) is parse_metric("own_top_two").metric  # made again it is replaced
    own = made(name="own_other", range=(0.0, 9.0), higher_is_better=False)
    assert (own.name, own.range, own.higher_is_better) == ("own_other", (0.0, 9.0), False)
    assert parse_metric("OWN_OTHER").metric is own


def test_its_name_and_parameters_are_read_as_any_others():
    made()
    for text, canonical, figure in (
        ("own_top_two@1", "own_top_two@1", 1 / 3),
        ("Own-Top-Two", "own_top_two", 1 / 2),
        ("own_top_two_at_1", "own_top_two@1", 1 / 3),
        ("own_top_two(second=0.25)@5", "own_top_two(second=0.25)@5", 1.25 / 3),
        ("own_top_two(strict=yes)", "own_top_two(strict=true)", 0.5 / 3),
        ("own_top_two(word=y)", "own_top_two(word=y)", 1 / 2),
    ):
        assert assay.evaluate(QRELS, RUN, text).summary == {canonical: close(figure)}
        assert parse_metric(canonical).name == canonical


def test_messages(snapshots, tmp_path, monkeypatch):
    (tmp_path / "shop_metrics.py").write_text(
        "import assay\n\n@assay.metric\ndef own_found(run, k=None):\n    return run.relevant().top(k).count\n", "utf-8"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.delitem(sys.modules, "shop_metrics", raising=False)
    result = assay.evaluate(QRELS, RUN, ["python:shop_metrics:own_found@1", "python:shop_metrics:own_found", "mrr"])
    assert list(result.summary) == ["own_found@1", "own_found", "mrr"]
    made()

    @assay.metric
    def own_half(run):
        return 0.5

    @assay.metric
    def own_needs(run, k, weight, *_, **__):
        return run.relevant().top(k).count * float(weight)

    assert assay.evaluate(QRELS, RUN, own_needs.bind(k=3, weight=0.5)).summary == {"own_needs(weight=0.5)@3": 0.5}
    lost = result_from_dict(elsewhere(assay.evaluate(QRELS, RUN, "own_top_two", name="r")))
    cases = {
        "an unknown parameter": lambda: assay.evaluate(QRELS, RUN, "own_top_two(third=1)"),
        "no cutoff": lambda: parse_metric("own_needs(weight=1)"),
        "no value for a parameter": lambda: parse_metric("own_needs@5"),
        "no argument": lambda: assay.metric(lambda: 1, name="own_none"),
        "a name in place of a function": lambda: assay.metric("ndcg@10"),
        "no name": lambda: assay.metric(lambda run: run.n_retrieved),
        "a name that is taken": lambda: made(name="NDCG"),
        "no score for each query": lambda: assay.evaluate(QRELS, RUN, own_half),
        "no such metric in the module": lambda: parse_metric(WrittenName("python:shop_metrics:own_fuond")),
        "a module alone": lambda: parse_metric(WrittenName("python:shop_metrics")),
        "no such module": lambda: parse_metric(WrittenName("python:no_such_shop:x")),
        "a long name": lambda: find_metric("x" * 1001),
        "only known by its figures": lambda: assay.evaluate(QRELS, RUN, lost.metrics[0]),
    }
    snapshots.check_errors("metrics/own_metrics", cases)


def test_values_that_are_no_scores_are_refused():
    found = []
    wrong = assay.metric(lambda run: found[-1], name="own_wrong")
    for value in (0.5, [1.0], np.zeros((3, 1)), ["a", "b", "c"], None):
        found.append(value)
        with pytest.raises(assay.DataError):
            assay.evaluate(QRELS, RUN, wrong)


def test_an_error_in_the_function_is_told_with_its_place():
    @assay.metric
    def own_broken(run):
        return run.n_retrieved + None

    with pytest.raises(assay.UsageError) as info:
        assay.evaluate(QRELS, RUN, own_broken)
    assert re.search(r"own_broken.*TypeError.*\(test_own_metrics\.py, line \d+\)", str(info.value))
    assert isinstance(info.value.__cause__, TypeError)


def test_it_has_bands_like_any_other():
    tied = assay.evaluate(QRELS, {"q1": {"a": 1.0, "x": 1.0}}, made(), tie_band=True, residuals=True)
    assert tied.tie_bands["own_top_two"].columns["min"].score[0] == 0.5
    assert tied.residuals["own_top_two"].method.startswith("two scenarios")


def test_stored_figures_are_read_where_nobody_knows_the_metric():
    made(higher_is_better=False)
    kept = elsewhere(assay.evaluate(QRELS, RUN, ["own_top_two(second=0.25)@5", "mrr"], name="r"))
    assert kept["own_metrics"] == {"own_lost(second=0.25)@5": {"higher_is_better": False}}
    back = result_from_dict(kept)
    assert back.summary == {"own_lost(second=0.25)@5": close(1.25 / 3), "mrr": close((1 + 1 / 2 + 1 / 3) / 3)}
    assert [one.metric.higher_is_better for one in back.metrics] == [False, True]
    assert back.to_dict()["own_metrics"] == kept["own_metrics"]
    assert pickle.loads(pickle.dumps(back.metrics[0])) == back.metrics[0]
    with pytest.raises(assay.UnknownName):
        assay.evaluate(QRELS, RUN, "own_lost(second=0.25)@5")
    kept["own_metrics"]["own_lost(second=0.25)@5"]["higher_is_better"] = "no"
    with pytest.raises(assay.DataError, match="higher_is_better"):
        result_from_dict(kept)


def test_recorded_names():
    assert recorded_metric("ndcg@10") == parse_metric("ndcg@10")
    too_large = "ndcg(gain={1: " + "9" * 400 + "})@10"
    for name in ("hits", "answer quality", "ndcg@0", "official", too_large):  # what cannot be read is kept
        found = recorded_metric(name, higher_is_better=False)
        assert (found.name, found.metric.higher_is_better) == (name, False)
    with pytest.raises(assay.BadParameter):
        parse_metric(too_large)
