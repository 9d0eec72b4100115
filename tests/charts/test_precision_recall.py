"""precision_recall: the curve of rankings that were kept."""

import pytest

from assay.charts import draw
from assay.errors import UsageError

from ._subjects import data, ranked, result_of


def test_the_curve_by_hand():
    """Relevant documents at ranks 1 and 4: precision is 1 up to half of them, 1/2 for all."""
    drawing = draw("precision_recall", [ranked("one", "axyb")])
    curve = {row["recall"]: row["precision"] for row in data(drawing)}
    assert curve == {level / 10: 1.0 if level <= 5 else 0.5 for level in range(11)}
    assert "one 1.000 at 0.0, 1.000 at 0.5, 0.500 at 1.0" in drawing.alt


def test_the_mean_over_queries():
    drawing = draw("precision_recall", [ranked("one", "axyb", "xyzw")])
    assert {row["recall"]: row["precision"] for row in data(drawing)}[0.0] == 0.5


def test_text_beside_it_does_not_matter():
    assert draw("precision_recall", [ranked("one", "axyb", metrics=("relstring", "mrr"))]).rows


def test_nothing_was_kept():
    with pytest.raises(UsageError, match="other: there is no curve without rankings"):
        draw("precision_recall", [ranked("one", "axyb"), result_of("other", mrr=[1])])
    with pytest.raises(UsageError, match="assay eval keeps them"):
        draw("precision_recall", [ranked("one", "axyb").with_fields(run={})])


def test_a_result_of_another_tool_is_scored_as_it_was():
    import assay

    qrels, run = {"q0": {"a": 1, "b": 1}}, {"q0": {"a": 3.0, "x": 2.0, "b": 1.0}}
    found = assay.evaluate(qrels, run, ["map"], profile="trec_eval-10", name="one")
    result = found.with_fields(run=run, relevant={"q0": {"a": 1.0, "b": 1.0}})
    expected = assay.evaluate(qrels, run, ["iprec@0.6"], profile="trec_eval-10")["iprec@0.6"]
    curve = {row["recall"]: row["precision"] for row in data(draw("precision_recall", [result]))}
    assert curve[0.6] == expected
