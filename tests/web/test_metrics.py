"""Metrics: the reference, from the records."""

from assay.metrics import all_metrics

from ._clients import main_of, rows_of


def test_every_metric_has_a_row_and_a_page(client):
    metrics = all_metrics()
    rows = rows_of(client.get("/metrics").text, "Metrics")
    assert [row[1] for row in rows] == [metric.meaning for metric in metrics.values()]
    for name, metric in [*list(metrics.items())[::9], ("NDCG", metrics["ndcg"])]:
        said = main_of(client.get("/metrics", params={"name": name}).text)
        for text in (metric.meaning, metric.formula):
            assert " ".join(text.split()) in said, name
