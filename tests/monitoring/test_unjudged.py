"""Unjudged documents in a gate: rules about judged@k, and verdicts that their grades could reverse."""

import json

import pytest

from assay.errors import DataError
from assay.evaluation import evaluate, result_from_dict
from assay.monitoring import gate

N = 12
QRELS = {f"q{number}": {"r": 1, "n": 0} for number in range(N)}


def result_of(documents, *metrics, name="dense", keep=True):
    """A result that retrieved the same documents for every query."""
    run = {query: {doc: -float(rank) for rank, doc in enumerate(documents)} for query in QRELS}
    result = evaluate(QRELS, run, metrics, name=name)
    return result.with_fields(run=run) if keep else result


def stored(result):
    return result_from_dict(json.loads(json.dumps(result.to_dict())))


BEFORE, NOW = ["r", "n"], ["u", "v"]


@pytest.mark.parametrize("read", [stored, lambda result: result])
def test_a_rule_about_judged_documents_works_where_it_was_not_scored(read):
    for documents, status in ((["r", "n", "u"], "fail"), (["r", "n"], "pass")):
        (verdict,) = gate(read(result_of(documents, "mrr")), None, "judged@10 >= 0.8").verdicts
        assert verdict.status == status
        assert verdict.finding.value == pytest.approx(2 / len(documents))
        assert verdict.finding.n == N


def test_a_result_without_rankings_says_how_to_get_the_judged_share():
    with pytest.raises(DataError, match=r"judged@10 was not scored.*-m judged@10"):
        gate(stored(result_of(NOW, "mrr", keep=False)), None, "judged@10 >= 0.8")


def test_verdicts_that_unjudged_documents_could_reverse():
    before, now = result_of(BEFORE, "mrr"), result_of(NOW, "mrr")
    for old, new, status, low, high in ((before, now, "fail", -1, 0), (now, before, "pass", 0, 1)):
        report = gate(new, old, "mrr not worse by 0.1")
        (known,) = report.unjudged
        assert report.verdicts[0].status == status
        assert (known.range.low, known.range.high, known.range.n_unjudged) == (low, high, 2 * N)
        assert report.to_dict()["unjudged"][0]["low"] == low
        is_reversible = any("could be reversed by the 24 unjudged results" in note for note in report.notes)
        assert is_reversible == (status == "fail")  # u relevant: both have 1; n relevant is not possible: it is judged
        assert any(note.startswith("judged@10: the baseline ") for note in report.notes)


def test_the_range_is_shown_on_request():
    before, now = result_of(BEFORE, "mrr"), result_of(["r", "u"], "mrr")
    assert not gate(now, before, "mrr not worse by 0.1").notes[1:]
    notes = gate(now, before, "mrr not worse by 0.1", residuals=True).notes
    assert (
        "mrr, with other grades for the 12 unjudged results that were retrieved: the difference could be between" in notes[0]
    )
    bare = [result_of(documents, "mrr", keep=False) for documents in (BEFORE, NOW)]
    report = gate(stored(bare[1]), stored(bare[0]), "mrr not worse by 0.1", residuals=True)
    assert "is unknown: the rankings of the baseline are not stored" in report.notes[0]


def test_slices_and_limits_have_no_range():
    report = gate(result_of(NOW, "mrr"), result_of(BEFORE, "mrr"), ["mrr >= 0.5", "failed = 0"])
    assert report.unjudged == ()
