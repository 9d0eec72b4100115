"""Datasets: what was evaluated, what comes with assay, and what is wrong with it."""

from __future__ import annotations

from _clients import main_of, rows_of

from assay.datasets import bundled, check_dataset, load_dataset


def test_all(client):
    html = client.get("/datasets").text
    assert rows_of(html, "Benchmarks in the store")[0][:4] == ["things", "60", "62", "4"]
    assert [row[0] for row in rows_of(html, "Bundled benchmarks")] == list(bundled())


def test_one_of_the_store(client):
    text = main_of(client.get("/datasets?name=things").text)
    assert "version 1.0" in text
    assert "de 20, en 20, fr 20" in text
    assert "assay serve --datasets PATH" in text


def test_one_that_is_at_hand_is_checked(client):
    text = main_of(client.get("/datasets?name=rag-template").text)
    dataset = load_dataset("rag-template")
    assert f"{len(dataset.queries):,}, " in text
    for finding in check_dataset(dataset):
        assert finding.code in text


def test_a_name_is_never_a_path(client, tmp_path):
    file = tmp_path / "data.json"
    load_dataset("rag-template").save_json(file)
    assert client.get("/datasets", params={"name": str(file)}).status_code == 404


def test_a_table_without_heads_has_no_empty_row(client):
    html = client.get("/datasets?name=rag-template").text
    assert html.count("<table") > html.count("<thead>") == 0
    assert "<thead>" in client.get("/datasets").text
