"""Scores that must never change; make_golden.py tells where they come from."""

import json
from pathlib import Path

import pytest

import assay
from assay.metrics import all_metrics, parse_metric

GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text(encoding="utf-8"))


def test_scores():
    result = assay.evaluate(GOLDEN["qrels"], GOLDEN["run"], GOLDEN["scores"])
    for metric, scores in GOLDEN["scores"].items():
        expected = dict(zip(GOLDEN["qrels"], scores, strict=True))
        is_text = metric.startswith("relstring")
        assert result.scores(metric) == (expected if is_text else pytest.approx(expected, rel=1e-9, abs=1e-12)), metric


def test_every_metric_of_rankings_is_here():
    known = {parse_metric(metric).metric.name for metric in GOLDEN["scores"]}
    assert {name for name, metric in all_metrics().items() if metric.view == "ranking"} - known == {"runid"}
