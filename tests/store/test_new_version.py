"""The next version of a benchmark: evaluated from scratch it gives the figures of the rejudged result."""

import pytest

import assay
from assay.evaluation import rejudge
from assay.model import Query
from assay.store import Judgment, Store, combined, merged_from_result, merged_version

METRICS = ["ndcg@10", "map", "judged@10", "bpref"]
TIME = "2026-11-15T09:30:00+00:00"


@pytest.fixture(scope="module")
def result():
    return assay.run("rag-template", "bm25", metrics=METRICS)


@pytest.fixture
def judgments(result):
    """Two unjudged documents, one that is overruled, and one that is confirmed."""
    dataset = assay.load_dataset("rag-template")
    unjudged = [doc for doc in result.run["q01"] if doc not in dataset.qrels["q01"]][:2]
    relevant = [next(iter(result.relevant[query])) for query in ("q02", "q03")]
    rows = [("q01", unjudged[0], "Ana", 2), ("q01", unjudged[1], "Ben", 0), ("q02", relevant[0], "Ana", 0)]
    rows += [("q03", relevant[1], "Ben", dataset.qrels["q03"][relevant[1]])]
    return [Judgment("rag-template", *row, "", TIME) for row in rows]


def test_the_next_version_gives_the_rejudged_figures(result, judgments, tmp_path):
    dataset = assay.load_dataset("rag-template")
    before = dataset.fingerprint("judgments")
    new, merged = merged_version(dataset, judgments)
    new.save_json(tmp_path / "next.json")
    again = assay.load_dataset(tmp_path / "next.json")
    assert dataset.fingerprint("judgments") == before, "the benchmark itself stays"
    assert again.fingerprint("judgments") == new.fingerprint("judgments") != before
    assert (again.fingerprint("queries"), again.fingerprint("documents")) == tuple(
        map(dataset.fingerprint, ("queries", "documents"))
    )
    effect = rejudge(result, combined(judgments), dataset.qrels)
    fresh = assay.run(again, "bm25", metrics=METRICS)
    for metric in METRICS:
        assert fresh.scores(metric) == pytest.approx(effect.result.scores(metric), abs=1e-12)
    assert fresh.fingerprints["judgments"] == effect.result.fingerprints["judgments"]
    assert new.version == again.version == f"1.0+people.{merged.about['fingerprint'][:8]}"
    about = again.metadata["merged_judgments"]
    assert (about["from_version"], about["from_fingerprint"]) == ("1.0", before)
    assert (about["n_added"], about["n_overruled"], about["n_same"], about["judges"]) == (2, 1, 1, ["Ana", "Ben"])
    assert (about["first"], about["newest"]) == (TIME, TIME)
    assert again.judgments["q01", judgments[0].document].judge == "Ana"


def test_without_the_data_the_judgments_of_a_result_are_merged(result, judgments, tmp_path):
    """All relevant documents, and those that were retrieved and judged not relevant; what is missing is said."""
    with Store.open(tmp_path / "s.db") as store:
        store.save(result)
        stored = store.latest().results[0]
    merged = merged_from_result(stored, judgments)
    whole = merged_version(assay.load_dataset("rag-template"), judgments)[1]
    relevant = [
        {(query, doc): grade for query, some in one.qrels.items() for doc, grade in some.items() if grade > 0}
        for one in (merged, whole)
    ]
    assert relevant[0] == relevant[1]
    assert merged.about["n_overruled"] == 1
    assert "Name the data" in merged.notes[0]


def test_what_does_not_fit_is_said_or_refused(judgments):
    dataset = assay.load_dataset("rag-template")
    strange = [*judgments, Judgment("rag-template", "q999", "p001", "Ana", 1, "", TIME)]
    new, merged = merged_version(dataset, [*strange, Judgment("rag-template", "q01", "no such", "Ana", 1, "", TIME)], "2.0")
    assert (new.version, "q999" in new.qrels) == ("2.0", False)
    assert list(merged.notes) == [
        "1 query with grades not in these data, left out: q999",
        "1 document with grades not in these data: no such",
    ]
    by_answers = assay.BenchmarkDataset("answers", queries={"q1": Query("q1", "How?", expected=("So.",))})
    with pytest.raises(assay.DataError, match="has no judgments"):
        merged_version(by_answers, judgments)
    empty = assay.BenchmarkDataset("cold", queries={query: Query(query, "text") for query in dataset.queries})
    new, merged = merged_version(empty, judgments)
    assert (merged.about["n_overruled"], new.qrels) == (0, combined(judgments)), (
        "a benchmark without judgments gets its first"
    )
