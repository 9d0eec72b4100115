"""Metrics of one's own: made from a function, named, scored, compared, and read back where nobody knows them."""

import json
import pickle
import sys

import numpy as np
import pytest

import assay
from assay.evaluation.saved import result_from_dict
from assay.grammar import WrittenName
from assay.metrics import registry
from assay.metrics.custom import OwnMetric
from assay.metrics.lookup import find_metric, recorded_metric
from assay.metrics.parsing import parse_metric

QRELS = {"q1": {"a": 1}, "q2": {"b": 2}, "q3": {"c": 1}}
RUN = {"q1": ["a", "x"], "q2": ["x", "b"], "q3": ["x", "y", "c"]}


@pytest.fixture(autouse=True)
def forgotten(monkeypatch):
    """What a test makes is not known to others."""
    monkeypatch.setattr(registry, "_own", {})


def made(**settings):
    @assay.metric(**settings)
    def top_two(run, k=None, second=0.5, strict=False, word="x"):
        """Whether the first two are right.

        More is not said of it.
        """
        first = run.relevant(2 if strict else None).top(k).first_rank()
        return np.select([first == 1, first == 2], [1.0, second], 0.0)

    return top_two


def test_a_function_becomes_a_metric():
    metric = made()
    assert isinstance(metric, OwnMetric)
    assert (metric.name, metric.meaning, metric.higher_is_better) == ("top_two", "Whether the first two are right.", True)
    result = assay.evaluate(QRELS, RUN, [metric, "mrr"])
    assert result.scores("top_two") == {"q1": 1.0, "q2": 0.5, "q3": 0.0}
    assert (result["top_two"], result[metric.bind()]) == (0.5, 0.5)


def test_without_brackets_and_with_settings():
    @assay.metric
    def plain(run):
        return run.n_retrieved

    assert assay.evaluate(QRELS, RUN, plain)["plain"] == pytest.approx(7 / 3)
    own = made(name="other", range=(0.0, 9.0), higher_is_better=False)
    assert (own.name, own.range, own.higher_is_better) == ("other", (0.0, 9.0), False)
    assert parse_metric("OTHER").metric is own


@pytest.mark.parametrize(
    ("text", "canonical", "figure"),
    [
        ("top_two@1", "top_two@1", 1 / 3),
        ("Top-Two", "top_two", 1 / 2),
        ("top_two_at_1", "top_two@1", 1 / 3),
        ("top_two(second=0.25)@5", "top_two(second=0.25)@5", 1.25 / 3),
        ("top_two(strict=yes)", "top_two(strict=true)", 0.5 / 3),
        ("top_two(word=y)", "top_two(word=y)", 1 / 2),
    ],
)
def test_its_name_and_parameters_are_read_as_any_others(text, canonical, figure):
    made()
    assert assay.evaluate(QRELS, RUN, text).summary == {canonical: pytest.approx(figure)}
    assert parse_metric(canonical).name == canonical


def test_wrong_parameters_are_told():
    made()
    with pytest.raises(assay.BadParameter, match=r"top_two has no parameter 'third' \(it has: k, second, strict, word\)"):
        assay.evaluate(QRELS, RUN, "top_two(third=1)")

    @assay.metric
    def cut(run, k):
        return run.relevant().top(k).count

    with pytest.raises(assay.BadParameter, match="cut needs k, as in cut@10"):
        assay.evaluate(QRELS, RUN, cut)
    assert assay.evaluate(QRELS, RUN, cut.bind(k=3))["cut@3"] == 1


def test_arguments_without_a_default_are_told_with_a_spelling_that_works():
    @assay.metric
    def weighted(run, weight, *_, **__):
        return np.full(run.n_queries, float(weight))

    said = r"^weighted: the parameter weight has no default; give it a value, as in weighted\(weight=0\.5\)$"
    with pytest.raises(assay.BadParameter, match=said):
        assay.evaluate(QRELS, RUN, "weighted")
    assert assay.evaluate(QRELS, RUN, "weighted(weight=0.5)").summary == {"weighted(weight=0.5)": 0.5}
    with pytest.raises(assay.BadParameter, match=r"none takes no argument; .* as in def none\(run\)$"):

        @assay.metric
        def none():
            return 1


def test_a_recorded_name_of_any_length_is_told_in_one_pair_of_quotes():
    with pytest.raises(assay.UnknownName) as caught:
        find_metric("x" * 1001)
    assert str(caught.value) == f"no metric is called '{'x' * 40}…'."


def test_it_is_compared_and_has_bands_and_slices_like_any_other():
    metric = made()
    found = assay.compare(QRELS, {"old": RUN, "new": {**RUN, "q3": ["c"]}}, [metric])
    assert [one.name for one in found.metrics] == ["top_two"]
    tied = assay.evaluate(QRELS, {"q1": {"a": 1.0, "x": 1.0}}, metric, tie_band=True, residuals=True)
    assert tied.tie_bands["top_two"].columns["min"].score[0] == 0.5
    assert tied.residuals["top_two"].method.startswith("two scenarios")


@pytest.mark.parametrize("found", [0.5, [1.0], np.zeros((3, 1)), ["a", "b", "c"], None])
def test_what_is_no_score_for_each_query_is_told(found):
    @assay.metric
    def wrong(run):
        return found

    with pytest.raises(assay.DataError, match=r"wrong gives one number for each of 3 queries, not .* of shape"):
        assay.evaluate(QRELS, RUN, wrong)


@pytest.mark.parametrize("name", ["ndcg", "NDCG", "recip_rank", "f1"])
def test_a_name_that_is_taken_is_refused(name):
    with pytest.raises(assay.UsageError, match="needs a name of its own"):
        made(name=name)


def test_a_name_that_cannot_be_read_is_refused():
    with pytest.raises(assay.BadParameter, match=r"letters, digits and underscores, not '<lambda>'"):
        assay.metric(lambda run: run.n_retrieved)


def test_made_again_it_is_replaced():
    made()
    again = made(range=(0.0, 2.0))
    assert parse_metric("top_two").metric is again


def test_by_module_and_name(tmp_path, monkeypatch):
    (tmp_path / "shop_metrics.py").write_text(
        "import assay\n\n@assay.metric\ndef found(run, k=None):\n    return run.relevant().top(k).count\n", "utf-8"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.delitem(sys.modules, "shop_metrics", raising=False)
    result = assay.evaluate(QRELS, RUN, ["python:shop_metrics:found@1", "python:shop_metrics:found", "mrr"])
    assert list(result.summary) == ["found@1", "found", "mrr"]
    with pytest.raises(assay.UsageError, match="shop_metrics has no metric fuond; it has found"):
        parse_metric(WrittenName("python:shop_metrics:fuond"))
    with pytest.raises(assay.BadParameter, match="write python:module:name"):
        parse_metric(WrittenName("python:shop_metrics"))
    with pytest.raises(assay.UsageError, match="module no_such_shop cannot be imported"):
        parse_metric(WrittenName("python:no_such_shop:x"))


def test_stored_figures_are_read_where_nobody_knows_the_metric(monkeypatch):
    made()
    kept = assay.evaluate(QRELS, RUN, ["top_two(second=0.25)@5", "mrr"], name="r").to_dict()
    monkeypatch.setattr(registry, "_own", {})
    back = result_from_dict(json.loads(json.dumps(kept)))
    assert back.summary == {"top_two(second=0.25)@5": pytest.approx(1.25 / 3), "mrr": pytest.approx((1 + 1 / 2 + 1 / 3) / 3)}
    assert back["top_two(second=0.25)@5"] == pytest.approx(1.25 / 3)
    with pytest.raises(assay.UnknownName):
        assay.evaluate(QRELS, RUN, "top_two(second=0.25)@5")
    with pytest.raises(assay.UsageError, match="only be scored where it is made"):
        assay.evaluate(QRELS, RUN, back.metrics[0])


def test_the_direction_of_stored_figures_is_kept(monkeypatch):
    made(higher_is_better=False)
    kept = assay.evaluate(QRELS, RUN, ["top_two@5", "mrr"], name="r").to_dict()
    assert kept["own_metrics"] == {"top_two@5": {"higher_is_better": False}}
    monkeypatch.setattr(registry, "_own", {})
    back = result_from_dict(json.loads(json.dumps(kept)))
    assert [one.metric.higher_is_better for one in back.metrics] == [False, True]
    assert back.to_dict()["own_metrics"] == kept["own_metrics"]
    assert pickle.loads(pickle.dumps(back.metrics[0])) == back.metrics[0]
    kept["own_metrics"] = {"top_two@5": {"higher_is_better": "no"}}
    with pytest.raises(assay.DataError, match=r'own_metrics\["top_two@5"\]\.higher_is_better: expected true'):
        result_from_dict(kept)


def test_what_is_known_is_read_as_it_is():
    assert recorded_metric("ndcg@10") == parse_metric("ndcg@10")


@pytest.mark.parametrize("name", ["hits", "answer quality", "ndcg@0", "official", "ndcg(gain={1: " + "9" * 400 + "})@10"])
def test_a_recorded_name_that_cannot_be_read_is_kept(name):
    found = recorded_metric(name, higher_is_better=False)
    assert (found.name, found.metric.higher_is_better) == (name, False)


def test_a_gain_that_no_number_can_hold_is_refused():
    with pytest.raises(assay.BadParameter, match="a map from grade to gain"):
        parse_metric("ndcg(gain={1: " + "9" * 400 + "})@10")


def test_an_error_in_the_function_is_told_with_its_place_as_an_error_of_the_metric():
    @assay.metric
    def broken(run):
        return run.n_retrieved + None

    with pytest.raises(assay.UsageError, match=r"metric broken failed: TypeError: .* \(test_own\.py, line \d+\)") as info:
        assay.evaluate(QRELS, RUN, broken)
    assert isinstance(info.value.__cause__, TypeError)
