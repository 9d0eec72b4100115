"""Providers that are asked as of a time: they return as many documents as without, and none that is too young."""

import json
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import BenchmarkDataset, Document, Query
from assay.execution import ExecutionOptions, WrittenPlan, execute_plan, load_plan, make_plan

ASKED = date(2024, 5, 1)


def dated(n_old, n_young):
    """Documents o0, o1 … that are older than the query, and younger ones y0, y1 …"""
    old = {f"o{number}": Document(f"o{number}", "cats", time=ASKED - timedelta(days=number)) for number in range(n_old)}
    young = {
        f"y{number}": Document(f"y{number}", "cats", time=ASKED + timedelta(days=number + 1)) for number in range(n_young)
    }
    return BenchmarkDataset(
        "dated",
        queries={"q": Query("q", "cats", time=ASKED)},
        documents={**young, **old},
        qrels={"q": {"o0": 1, "y0": 3}},
    )


class Ranked:
    """Returns younger documents first, and remembers how many were asked for."""

    def __init__(self, dataset, most=None):
        self.order, self.asked, self.most = list(dataset.documents), [], most

    def search(self, queries, k):
        self.asked.append(k)
        return [self.order[: min(k, self.most or k)] for _ in queries]


@given(st.integers(0, 30), st.integers(0, 60), st.integers(1, 12))
def test_the_first_k_that_are_old_enough(n_old, n_young, k):
    dataset = dated(n_old, n_young)
    if not dataset.documents:
        return
    retriever = Ranked(dataset)
    result = assay.run(dataset, retriever, ["mrr"], k=k, as_of="query")
    assert list(result.run["q"]) == [f"o{number}" for number in range(n_old)][:k]
    assert retriever.asked == sorted(retriever.asked)


def test_a_provider_is_asked_for_more_only_if_documents_were_too_young():
    few, many = dated(20, 2), dated(20, 100)
    asked = []
    for dataset in (few, many):
        retriever = Ranked(dataset)
        assay.run(dataset, retriever, ["mrr"], k=5, as_of="query")
        asked.append(retriever.asked)
    assert asked == [[5, 20], [5, 20, 80, 320]]
    retriever = Ranked(many)
    assay.run(many, retriever, ["mrr"], k=5)
    assert retriever.asked == [5]


def test_a_provider_that_returns_less_is_not_asked_again_without_end():
    dataset = dated(20, 100)
    retriever = Ranked(dataset, most=50)
    result = assay.run(dataset, retriever, ["mrr"], k=5, as_of="query")
    assert (retriever.asked, result.run) == ([5, 20, 80], {"q": {}})


def test_reported_fields_and_failures_stay():
    dataset = dated(3, 3)

    class Reporting(Ranked):
        def search(self, queries, k):
            return [{"hits": hits, "answer": "twelve"} for hits in super().search(queries, k)]

    result = assay.run(dataset, Reporting(dataset), ["mrr"], k=2, as_of="query")
    assert list(result.run["q"]) == ["o0", "o1"]
    assert result.said["q"]["answer"] == "twelve"

    def failing(text, k):
        if k > 2:
            raise OSError("too many")
        return list(dataset.documents)[:k]

    with pytest.raises(assay.ProviderError, match="too many"):
        assay.run(dataset, failing, ["mrr"], k=2, as_of="query", retries=0)


def test_a_fixed_time_indexes_only_older_documents():
    dataset = dated(3, 3)

    class Indexing:
        def index(self, documents):
            self.ids = [document.doc_id for document in documents]

        def search(self, queries, k):
            return [self.ids[:k] for _ in queries]

    retriever = Indexing()
    result = assay.run(dataset, retriever, ["mrr"], k=3, as_of="2024-05-02")
    assert retriever.ids == ["y0", "o0", "o1", "o2"]
    assert list(result.run["q"]) == ["y0", "o0", "o1"]


SCORED = ("ndcg@3", "recall@3", "map", "mrr", "err@3", "rbp(p=0.8)", "precision@3", "bpref")


@given(
    st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 3)), min_size=2, max_size=8),
    st.data(),
)
def test_a_document_that_moves_to_the_future_is_lost(rows, data):
    """It never raises the number of relevant documents. Other scores may rise, because later documents move up a rank."""
    ids = [f"d{number}" for number in range(len(rows))]
    moved = data.draw(st.sampled_from(ids))
    grades = {doc: grade for doc, (_, grade) in zip(ids, rows, strict=True)}

    def score(days):
        documents = {doc: Document(doc, "x", time=ASKED - timedelta(days=days[doc])) for doc in ids}
        dataset = BenchmarkDataset(
            "law", queries={"q": Query("q", "x", time=ASKED)}, documents=documents, qrels={"q": grades}
        )
        return assay.evaluate(dataset.with_as_of("query"), {"q": ids}, ["num_rel_ret", "num_rel", "num_ret"])

    days = {doc: age for doc, (age, _) in zip(ids, rows, strict=True)}
    before, after = score(days), score({**days, moved: -9})
    assert after["num_rel_ret"] <= before["num_rel_ret"]
    assert after["num_rel"] <= before["num_rel"]
    assert after["num_ret"] == before["num_ret"] - (days[moved] >= 0)


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 3)), min_size=1, max_size=8))
def test_scores_as_of_a_time_are_those_of_a_dataset_without_the_younger_documents(rows):
    ids = [f"d{number}" for number in range(len(rows))]
    documents = {doc: Document(doc, "x", time=ASKED - timedelta(days=age)) for doc, (age, _) in zip(ids, rows, strict=True)}
    grades = {doc: grade for doc, (_, grade) in zip(ids, rows, strict=True)}
    old = [doc for doc in ids if documents[doc].time <= ASKED]
    dataset = BenchmarkDataset("law", queries={"q": Query("q", "x", time=ASKED)}, documents=documents, qrels={"q": grades})
    scoped = assay.evaluate(dataset.with_as_of("query"), {"q": ids}, SCORED)
    expected = assay.evaluate({"q": {doc: grades[doc] for doc in old}}, {"q": old}, SCORED, policy=scoped.policy)
    assert scoped.summary == expected.summary


def test_plans_and_results_record_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dated(5, 5).save_json("dated.json")
    plan = {"benchmarks": ["dated.json"], "providers": ["bm25"], "metrics": ["mrr"], "as_of": "query", "k": 3}
    (tmp_path / "plan.yaml").write_text(json.dumps(plan))
    (result,) = execute_plan(load_plan(tmp_path / "plan.yaml"), ExecutionOptions(home=tmp_path / ".assay"))
    assert sorted(result.run["q"]) == ["o2", "o3", "o4"]
    assert result.provenance["dataset"]["as_of"] == "query"
    assert result.notes[0].startswith("as of the time of each query: 1 judgment of 1 query is left out")
    (again,) = execute_plan(load_plan(tmp_path / "plan.yaml"), ExecutionOptions(home=tmp_path / ".assay"))
    assert again.provenance["counts"]["cached"] == 1
    (later,) = execute_plan(
        make_plan(WrittenPlan(plan | {"as_of": "2024-05-02"}), "plan"), ExecutionOptions(home=tmp_path / ".assay")
    )
    assert later.provenance["counts"]["cached"] == 0
    with pytest.raises(assay.UsageError, match=r"plan: as_of must be query or a time: 'soon' is not a time"):
        make_plan(WrittenPlan(plan | {"as_of": "soon"}), "plan")
