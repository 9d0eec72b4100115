"""Datasets: what was evaluated, what comes with assay, and what is wrong with it."""

from assay.datasets import check_dataset, load_dataset

from ._clients import main_of


def test_one_that_is_at_hand_is_checked_and_a_name_is_never_a_path(client, tmp_path):
    html, dataset = client.get("/datasets?name=rag-template").text, load_dataset("rag-template")
    assert f"{len(dataset.queries):,}, " in main_of(html)
    for finding in check_dataset(dataset):
        assert finding.code in main_of(html), finding
    assert html.count("<table") > html.count("<thead>") == 0, "a table without heads has no empty row"
    file = tmp_path / "data.json"
    dataset.save_json(file)
    assert client.get("/datasets", params={"name": str(file)}).status_code == 404
