"""runid: the tag the run was submitted under."""

import assay
from assay.model.run import Rankings, Run

QRELS = {"a": {"d": 1}, "b": {"d": 1}}


def test_every_query_shows_the_tag_of_the_run():
    run = Run.borrow(Rankings({"a": {"d": 1.0}}, tag="my-run"))
    assert assay.evaluate(QRELS, run, "runid").scores("runid") == {"a": "my-run", "b": "my-run"}


def test_a_run_without_a_tag_shows_nothing():
    result = assay.evaluate(QRELS, {"a": ["d"]}, "runid")
    assert result.scores("runid") == {"a": "", "b": ""}
    assert result.summary == {}
