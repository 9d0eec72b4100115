"""What a store lists and in which order; tags, notes and baselines; which figures may be compared."""

from datetime import UTC, datetime, timedelta

import pytest

import assay
from assay.errors import UnknownName, UsageError
from assay.store import Figure

from ._results import DAY, result_of


def days_ago(days):
    return (datetime.now(UTC) - timedelta(days=days)).isoformat()


def test_lists_have_the_newest_first_and_can_be_filtered(store):
    old = store.save([result_of(1, started=days_ago(40))])
    new = store.save([result_of(2, started=days_ago(3)), result_of(2, "large", "dense", started=days_ago(3))])
    store.tag(old, "release", "1.0")

    def listed(**how):
        return [(entry.evaluation, entry.benchmark, entry.provider) for entry in store.list(**how)]

    everything = [(new, "small", "bm25"), (new, "large", "dense"), (old, "small", "bm25")]
    assert listed() == everything
    assert listed(limit=2) == everything[:2]
    assert listed(benchmark="small") == [everything[0], everything[2]]
    assert listed(provider="dense") == [everything[1]]
    assert listed(since="30d") == everything[:2]
    assert listed(tag="release") == [everything[2]]
    assert listed(tag="release", since="30d") == listed(provider="nobody") == []


def test_an_entry_has_the_figures_tags_and_baselines(store):
    name, result = store.save([result_of(started=DAY)]), result_of()
    assert store.tag("latest", "b", "a") == name
    store.tag("latest", "b", "x")
    store.tag("latest", "x", "never", remove=True)
    store.bless("latest", "main")
    (entry,) = store.list()
    assert list(entry.figures) == ["ndcg@10", "mrr", "num_ret"]
    assert entry.figures["ndcg@10"] == Figure("ndcg@10", result["ndcg@10"], 0.1, 0.9, 3)
    assert (entry.tags, entry.baselines, entry.n_queries, entry.n_failed) == (("a", "b"), ("main",), 3, 1)
    assert entry.to_dict()["figures"]["mrr"] == {"value": result["mrr"], "low": None, "high": None, "n": 3}


def test_a_figure_of_all_lists_has_its_number_of_queries(store):
    """Its queries have no scores of their own."""
    dataset = assay.BenchmarkDataset.from_frames(
        [{"query_id": query, "text": query, "relevant_ids": ["a"]} for query in "qrs"],
        [{"doc_id": doc, "text": doc} for doc in "abcd"],
    )
    store.save(
        [assay.evaluate(dataset, {"q": ["a", "b"], "r": ["a"], "s": ["c"]}, ["catalogue_coverage@1", "exposure_gini@1"])]
    )
    (entry,) = store.list()
    assert entry.figures["catalogue_coverage@1"].value == 2 / 4
    assert {figure.n for figure in entry.figures.values()} == {3}
    assert [point.n for point in store.history("catalogue_coverage@1")] == [3]


def test_history_has_the_oldest_first(store):
    for n, day in enumerate((9, 3, 6)):
        store.save([result_of(n, started=days_ago(day)), result_of(n, provider="dense", started=days_ago(day))])
    points = store.history("NDCG_10", "small", "bm25")
    assert [point.value for point in points] == [result_of(n)["ndcg@10"] for n in (0, 2, 1)]
    assert {(point.low, point.high, point.n) for point in points} == {(0.1, 0.9, 3)}
    assert len(store.history("mrr")) == 6
    assert len(store.history("mrr", provider="dense", since="5d")) == 1
    assert store.history("map") == []


def test_figures_compare_only_where_judgments_policy_profile_and_relevance_are_the_same(store):
    qrels, run = {"q1": {"a": 1, "b": 2}, "q2": {"b": 1}}, {"q1": ["a", "b"], "q2": ["b"]}
    first = assay.evaluate(qrels, run, "mrr", name="p")
    different = [
        first,
        assay.evaluate({**qrels, "q1": {"z": 1}}, run, "mrr", name="p"),
        assay.evaluate(qrels, run, "mrr", policy=assay.Policy(rel=2), name="p"),
        assay.evaluate(qrels, run, "mrr", profile="ranx", name="p"),
        first.with_fields(relevance={"strategy_used": "token", "token_threshold": 0.3}),
        first.with_fields(relevance={"strategy_used": "token", "token_threshold": 0.5}),
    ]
    for result in different:
        store.save([result.with_fields(benchmark="b")])
    assert len({point.dataset for point in store.history("mrr")}) == len(different)
    same = assay.evaluate(qrels, {"q1": ["b"], "q2": ["c"]}, ["map", "mrr"], name="other")
    counts = {"strategy_used": "qrels", "strategy_counts": {"qrels": 1}}
    store.save([same.with_fields(benchmark="b", relevance=counts)])
    assert store.history("mrr", provider="other")[0].dataset == store.history("mrr", provider="p")[0].dataset
    for number, doc in enumerate("ab"):  # judgments made of what was retrieved do not part systems
        result = assay.evaluate({"q": {doc: 1}}, {"q": [doc]}, "mrr", name=f"p{number}")
        store.save([result.with_fields(benchmark="c", relevance={"strategy_used": "token"})])
    assert len({point.dataset for point in store.history("mrr", "c")}) == 1


def test_one_result_may_be_a_baseline_and_is_taken_back(store):
    name = store.save([result_of(1), result_of(1, provider="dense")])
    store.bless("latest", "main")
    assert store.bless("latest#dense", "best").evaluation == f"{name}#dense"
    assert [result.name for result in store.find("best").results] == ["dense"]
    assert [result.name for result in store.find("best#bm25").results] == ["bm25"]
    with pytest.raises(UnknownName):
        store.bless("latest#nobody", "best")
    assert store.unbless("main") == name
    assert store.baselines() == {"best": f"{name}#dense"}
    assert {point.provider: point.was_baseline for point in store.history("mrr")} == {"bm25": False, "dense": True}
    assert store.unbless("best") == f"{name}#dense"


def test_what_failed_altogether_has_no_figure_and_is_no_baseline(store):
    failed = result_of(1).with_fields(failures=dict.fromkeys(result_of(1).query_ids, "ConnectionError: refused"))
    name = store.save([failed, result_of(2, provider="dense")])
    assert [entry.is_failed for entry in store.list()] == [True, False]
    assert [point.value is None for point in store.history("mrr")] == [True, False]
    assert store.history("ndcg@10", provider="bm25")[0][4:7] == (None, None, None)
    for reference in ("latest", "latest#bm25"):
        with pytest.raises(UsageError):
            store.bless(reference, "main")
    assert store.baselines() == {}
    assert store.bless("latest#dense", "main").evaluation == f"{name}#dense"
    assert store.bless("latest", "main", force=True).evaluation == name


def test_saved_again_it_is_the_latest(store):
    first, second = store.save([result_of(1)]), store.save([result_of(2)])
    assert store.latest().id == second
    assert store.save([result_of(1)]) == first
    assert (store.latest().id, store.id_of("latest~1"), store.count()) == (first, second, 2)
    assert store.check().faults == ()


def test_baselines_are_chosen_and_never_drift(store):
    first = store.save([result_of(1)])
    assert store.bless("latest", "main") == ("main", first, None)
    second = store.save([result_of(2)])
    assert store.baselines() == {"main": first}
    assert store.find("main").id == first
    assert store.bless("latest", "main") == ("main", second, first)
    assert store.bless("latest~1", "release/1.0") == ("release/1.0", first, None)
    assert store.baselines() == {"main": second, "release/1.0": first}
    third = store.save([result_of(3)])
    store.bless("latest", "main")
    assert store.baselines() == {"main": third, "release/1.0": first}
    assert store.find("main").baselines == ("main",)


NO_BASELINES = (
    *("latest", "", "a b", "x#y", "-x", "latest~1", "x" * 81, "../../x", "a//b", "/x", "./x", ".x", "x/", "~/x"),
    *("2026-11-15", "2026-11-15-small-7f3a", "v1.json", "release/v1.JSN", "all.jsonl.zst", 3, None),
)


def test_words_that_mean_something_else(local, snapshots):
    """Baselines have names that can be told apart from ids and files; tags are words."""
    local.save([result_of(started=DAY)])
    tags = ("", "two words", "a,b", "a\nb", "-x", "x" * 81)
    filters = ({"since": "long ago"}, {"since": 3}, {"benchmark": 3}, {"provider": ["x"]}, {"tag": 1}, {"limit": -1})
    cases = {
        **{f"baseline {name!r}": lambda name=name: local.bless("latest", name) for name in NO_BASELINES},
        **{f"tag {tag!r}": lambda tag=tag: local.tag("latest", tag) for tag in tags},
        **{f"list {how}": lambda how=how: local.list(**how) for how in (*filters, {"limit": "2"})},
        "note": lambda: local.note("latest", "  "),
        "metric": lambda: local.history("nonsense@3"),
        "unbless": lambda: local.unbless("best"),
    }
    snapshots.check_errors("store/words", cases)
    assert local.baselines() == {}
