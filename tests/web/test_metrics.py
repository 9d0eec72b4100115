"""Metrics: the reference, from the records."""

from __future__ import annotations

import pytest
from _clients import main_of, rows_of

from assay.metrics import all_metrics


def test_every_metric_is_there(client):
    rows = rows_of(client.get("/metrics").text, "Metrics")
    assert [row[1] for row in rows] == [metric.meaning for metric in all_metrics().values()]


@pytest.mark.parametrize("name", sorted(all_metrics()))
def test_each_has_a_page(client, name):
    answer = client.get("/metrics", params={"name": name})
    metric = all_metrics()[name]
    assert answer.status_code == 200
    assert " ".join(metric.meaning.split()) in main_of(answer.text)
    assert " ".join(metric.formula.split()) in main_of(answer.text)


def test_any_spelling_and_near_misses(client):
    assert "ndcg" in main_of(client.get("/metrics?name=NDCG").text)
    answer = client.get("/metrics?name=ncdg")
    assert answer.status_code == 404
    assert "Did you mean ndcg" in main_of(answer.text)
