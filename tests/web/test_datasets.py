"""Datasets: what was evaluated, what comes with assay, and what is wrong with it."""

from assay.datasets import bundled, check_dataset, load_dataset

from ._clients import main_of, rows_of


def test_those_of_the_store_and_those_that_come_along(client):
    html = client.get("/datasets").text
    assert rows_of(html, "Benchmarks in the store")[0][:4] == ["things", "60", "62", "4"]
    assert [row[0] for row in rows_of(html, "Bundled benchmarks")] == list(bundled())
    text = main_of(client.get("/datasets?name=things").text)
    for word in ("version 1.0", "de 20, en 20, fr 20", "assay serve --datasets PATH"):
        assert word in text, word


def test_one_that_is_at_hand_is_checked_and_a_name_is_never_a_path(client, tmp_path):
    html, dataset = client.get("/datasets?name=rag-template").text, load_dataset("rag-template")
    assert f"{len(dataset.queries):,}, " in main_of(html)
    for finding in check_dataset(dataset):
        assert finding.code in main_of(html), finding
    assert html.count("<table") > html.count("<thead>") == 0, "a table without heads has no empty row"
    file = tmp_path / "data.json"
    dataset.save_json(file)
    assert client.get("/datasets", params={"name": str(file)}).status_code == 404
