"""Scores that must never change; make_golden.py tells where they come from."""

import json
from functools import cache
from pathlib import Path

import pytest

import assay
from assay.metrics.parsing import parse_metric
from assay.metrics.registry import all_metrics

GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text(encoding="utf-8"))

result = cache(lambda: assay.evaluate(GOLDEN["qrels"], GOLDEN["run"], GOLDEN["scores"]))


@pytest.mark.parametrize("metric", GOLDEN["scores"])
def test_scores(metric):
    wanted = dict(zip(GOLDEN["qrels"], GOLDEN["scores"][metric], strict=True))
    found = result().scores(metric)
    assert found == (wanted if metric.startswith("relstring") else pytest.approx(wanted, rel=1e-9, abs=1e-12))


def test_every_metric_of_rankings_is_here():
    known = {parse_metric(metric).metric.name for metric in GOLDEN["scores"]}
    assert {name for name, metric in all_metrics().items() if metric.view == "ranking"} - known == {"runid"}
