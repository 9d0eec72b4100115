"""Results whose metrics read other tags, texts, catalogues, popularity or vectors are not comparable on these metrics."""

import json

import numpy as np
import pytest

import assay
from assay import BenchmarkDataset, Document, Query
from assay.cli import main
from assay.embeddings import register_model
from assay.errors import NotComparable
from assay.evaluation import read_results, with_metrics_of
from assay.reports import Report, render_scores
from assay.store import Store

IDS = [f"d{place}" for place in range(6)]
RUN = {f"q{place}": IDS[place % 4 : place % 4 + 3] for place in range(6)}
METRICS = ("tag_entropy@3", "near_duplicates@3", "catalogue_coverage@3", "exposure_gini@3", "exposure_entropy@3",
           "novelty@3", "ild@3", "ild(by=tags)@3", "ndcg@3")  # fmt: skip


def scored(text="a text of", tag="x", more=0, views=3, direction=1.0, name="bm25"):
    """One run over documents with other texts, tags, popularity or vectors, or with more documents beside them."""
    ids = [*IDS, *(f"more{place}" for place in range(more))]
    documents = {
        each: Document(each, f"{text} {each}", metadata={"tags": [tag if each in IDS[:3] else "z"]}) for each in ids
    }
    queries = {query: Query(query, "?") for query in RUN}
    dataset = BenchmarkDataset("shop", queries=queries, documents=documents, qrels={query: {"d0": 1} for query in queries})
    vectors = {each: [1.0, direction * place] for place, each in enumerate(ids)}
    popularity = {each: views + place for place, each in enumerate(IDS)}
    known = dataset.with_document_data(vectors=vectors, popularity=popularity)
    return assay.evaluate(known, RUN, METRICS, name=name).with_fields(benchmark="shop")


CHANGES = pytest.mark.parametrize(
    ("change", "affected", "sentence"),
    [
        ({"tag": "y"}, {"tag_entropy@3", "ild(by=tags)@3"},
         "one and two have different tags of documents, which tag_entropy@3 reads"),
        ({"text": "other words about"}, {"near_duplicates@3"},
         "one and two have different texts of documents, which near_duplicates@3 reads"),
        ({"more": 14}, {*METRICS} - {"novelty@3", "ndcg@3"},  # popularity is that of the same documents
         "one and two have different catalogues (6 documents and 20 documents), which catalogue_coverage@3 reads"),
        ({"views": 9}, {"novelty@3"}, "one reads the popularity of documents from your values "),
        ({"direction": 2.0}, {"ild@3"}, "one reads the vectors of documents from your vectors "),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)  # fmt: skip


@CHANGES
def test_other_data_of_documents_are_not_comparable(change, affected, sentence, tmp_path):
    results = {"one": scored(), "two": scored(**change)}
    said = []
    for metric in METRICS:
        try:
            assay.compare(None, results, [metric])
        except NotComparable as error:
            said += [metric, *error.differences]
    assert {metric for metric in METRICS if metric in said} == affected
    assert any(each.startswith(sentence) for each in said)
    for name, result in results.items():
        (tmp_path / f"{name}.json").write_text(render_scores(Report([result.renamed(name)]), "json"))
    saved = {name: read_results(tmp_path / f"{name}.json")[0] for name in results}
    with pytest.raises(NotComparable):
        assay.compare(None, saved, sorted(affected))
    assert assay.compare(None, saved, ["ndcg@3"]).pairs[0].is_same


@CHANGES
def test_a_gate_refuses_and_a_history_begins_a_new_stretch(change, affected, sentence, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_STORE", "store.db")
    store = Store.open("store.db")
    for result in (scored(), scored(**change)):
        store.save([result])
    metric = max(affected)
    assert len({point.dataset for point in store.history(metric)}) == 2
    assert len({point.dataset for point in store.history("ndcg@3")}) == 1
    first = store.history(metric)[0].evaluation
    rules = tmp_path / "rules.yaml"
    rules.write_text(f"- {metric} {'rises' if metric == 'near_duplicates@3' else 'drops'} <= 0.1\n")
    assert main(["gate", "latest", "--rules", str(rules), "--baseline", first]) == 3
    assert "cannot be compared with this result" in capsys.readouterr().err
    rules.write_text("- ndcg@3 drops <= 0.1\n")
    assert main(["gate", "latest", "--rules", str(rules), "--baseline", first]) == 0


def test_results_that_do_not_say_what_they_read_can_still_be_read_and_compared(tmp_path):
    for name in ("one", "two"):
        content = json.loads(render_scores(Report([scored(name=name)]), "json"))
        del content["results"][0]["relevance"]["documents_read"]
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    results = {name: read_results(tmp_path / f"{name}.json")[0] for name in ("one", "two")}
    assert len(assay.compare(None, results, METRICS).pairs) == len(METRICS)
    with_record = {"one": results["one"], "two": scored(views=9)}
    with pytest.raises(NotComparable):  # the sources of popularity were always recorded
        assay.compare(None, with_record, ["novelty@3"])
    assert assay.compare(None, with_record, ["tag_entropy@3", "ild(by=tags)@3"]).pairs


def test_vectors_of_a_file_do_not_depend_on_texts(tmp_path):
    np.savez(tmp_path / "vectors.npz", ids=np.array(IDS), vectors=np.eye(6))
    queries = {query: Query(query, "?") for query in RUN}
    results = {
        text: assay.evaluate(
            BenchmarkDataset("shop", queries=queries, documents={each: Document(each, f"{text} {each}") for each in IDS},
                             qrels={query: {"d0": 1} for query in queries})
            .with_document_data(vectors=str(tmp_path / "vectors.npz")), RUN, ["ild@3", "near_duplicates@3"])
        for text in ("one", "two")
    }  # fmt: skip
    assert assay.compare(None, results, ["ild@3"]).pairs[0].is_same
    with pytest.raises(NotComparable):
        assay.compare(None, results, ["near_duplicates@3"])


def test_vectors_of_a_model_depend_on_texts():
    register_model("lengths", lambda texts: [[len(text), 1.0] for text in texts])
    queries = {query: Query(query, "?") for query in RUN}
    results = {
        text: assay.evaluate(
            BenchmarkDataset("shop", queries=queries, documents={each: Document(each, f"{text} {each}") for each in IDS},
                             qrels={query: {"d0": 1} for query in queries})
            .with_document_data(vectors="lengths"), RUN, ["ild@3"])
        for text in ("one", "another")
    }  # fmt: skip
    with pytest.raises(NotComparable, match="one and another have different texts of documents, which ild@3 reads"):
        assay.compare(None, results, ["ild@3"])


def test_metrics_that_are_put_together_keep_what_each_of_them_read():
    parts = [
        scored().subset(metrics=[metric]).with_fields(relevance={"documents_read": {metric: {"tags": metric}}})
        for metric in ("tag_entropy@3", "novelty@3")
    ]
    together = with_metrics_of(*parts)
    assert list(together) == ["tag_entropy@3", "novelty@3"]
    assert together.relevance["documents_read"] == {name: {"tags": name} for name in together}
    plain = scored().subset(metrics=["ndcg@3"]).with_fields(relevance={})
    assert with_metrics_of(plain, plain).relevance == {}
