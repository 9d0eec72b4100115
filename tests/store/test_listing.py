"""What a store lists, and in which order; what was the baseline; which figures may be compared."""

from datetime import UTC, datetime, timedelta

import pytest

import assay
from assay.errors import BadParameter, UnknownName, UsageError
from assay.store.stored_result import Figure

from ._days import DAY
from ._results import result_of


def days_ago(days):
    return (datetime.now(UTC) - timedelta(days=days)).isoformat()


# Lists and history


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
    with pytest.raises(BadParameter, match="since is an age"):
        store.list(since="long ago")


def test_an_entry_has_the_figures(store):
    store.save([result_of(started=DAY)])
    store.tag("latest", "b", "a")
    store.bless("latest", "main")
    (entry,) = store.list()
    result = result_of()
    assert list(entry.figures) == ["ndcg@10", "mrr", "num_ret"]
    assert entry.figures["ndcg@10"] == Figure("ndcg@10", result["ndcg@10"], 0.1, 0.9, 3)
    assert (entry.tags, entry.baselines, entry.n_queries, entry.n_failed) == (("a", "b"), ("main",), 3, 1)
    assert entry.to_dict()["figures"]["mrr"] == {"value": result["mrr"], "low": None, "high": None, "n": 3}


def test_history_has_the_oldest_first(store):
    for n, day in enumerate((9, 3, 6)):
        store.save([result_of(n, started=days_ago(day)), result_of(n, provider="dense", started=days_ago(day))])
    points = store.history("NDCG_10", "small", "bm25")
    assert [point.value for point in points] == [result_of(n)["ndcg@10"] for n in (0, 2, 1)]
    assert {(point.low, point.high, point.n) for point in points} == {(0.1, 0.9, 3)}
    assert len(store.history("mrr")) == 6
    assert len(store.history("mrr", provider="dense", since="5d")) == 1
    assert store.history("map") == []
    with pytest.raises(UnknownName, match="no metric is called"):
        store.history("nonsense@3")


def test_undefined_figures_stay_undefined(store):
    result = assay.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "map", policy=assay.Policy(rel=9, no_relevant="skip"), name="x")
    store.save([result])
    assert store.list()[0].figures["map"] == Figure("map", None, None, None, 0)
    assert [point.value for point in store.history("map")] == [None]
    assert store.check().faults == ()


# What may be compared, what was a baseline, what failed


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


def test_judgments_made_of_what_was_retrieved_do_not_part_systems(store):
    for number, doc in enumerate("ab"):
        result = assay.evaluate({"q": {doc: 1}}, {"q": [doc]}, "mrr", name=f"p{number}")
        store.save([result.with_fields(benchmark="b", relevance={"strategy_used": "token"})])
    assert len({point.dataset for point in store.history("mrr")}) == 1


def test_a_result_that_was_a_baseline_is_known_by_it(store):
    store.save([result_of(1), result_of(1, provider="dense")])
    store.save([result_of(2)])

    def were(provider):
        return [point.was_baseline for point in store.history("mrr", provider=provider)]

    assert were("bm25") == [False, False]
    store.bless("latest~1#dense", "main")
    assert (were("bm25"), were("dense")) == ([False, False], [True])
    store.bless("latest", "main")
    assert (were("bm25"), were("dense")) == ([False, True], [True])


def test_a_baseline_can_be_taken_back(store):
    name = store.save([result_of(1), result_of(1, provider="dense")])
    store.bless("latest", "main")
    store.bless("latest#dense", "best")
    assert store.unbless("main") == name
    assert store.baselines() == {"best": f"{name}#dense"}
    assert {point.provider: point.was_baseline for point in store.history("mrr")} == {"bm25": False, "dense": True}
    with pytest.raises(UnknownName, match=r"no baseline is called 'bets'\. Did you mean best\?"):
        store.unbless("bets")
    assert store.unbless("best") == f"{name}#dense"
    with pytest.raises(UnknownName, match="there is none"):
        store.unbless("best")


def test_what_failed_altogether_has_no_figure_and_is_no_baseline(store):
    failed = result_of(1).with_fields(failures=dict.fromkeys(result_of(1).query_ids, "ConnectionError: refused"))
    name = store.save([failed, result_of(2, provider="dense")])
    assert [entry.is_failed for entry in store.list()] == [True, False]
    assert [point.value is None for point in store.history("mrr")] == [True, False]
    assert store.history("ndcg@10", provider="bm25")[0][4:7] == (None, None, None)
    said = rf"small/bm25 failed on every query.*bless what was answered \('{name}#dense'\), or use --force"
    with pytest.raises(UsageError, match=said):
        store.bless("latest", "main")
    with pytest.raises(UsageError, match="ask again, or use --force"):
        store.bless("latest#bm25", "main")
    assert store.baselines() == {}
    assert store.bless("latest#dense", "main").evaluation == f"{name}#dense"
    assert store.bless("latest", "main", force=True).evaluation == name


def test_saved_again_it_is_the_latest(store):
    first, second = store.save([result_of(1)]), store.save([result_of(2)])
    assert store.latest().id == second
    assert store.save([result_of(1)]) == first
    assert (store.latest().id, store.id_of("latest~1"), store.count()) == (first, second, 2)
    assert store.check().faults == ()


def test_what_an_id_ends_in_is_enough(store):
    from sqlalchemy import text

    first = store.save([result_of(1, "alpha", started=DAY)])
    store.save([result_of(1, "beta", started=DAY)])
    assert store.id_of(first[-4:]) == first
    assert store.id_of(f"{first[-4:]}#bm25") == first
    with pytest.raises(UnknownName):
        store.id_of(first[-3:])
    store._database.write(lambda one: one.execute(text("UPDATE assay_evaluations SET id = 'x' || number || '-abcd'")))
    with pytest.raises(UsageError, match=r"'abcd' ends 2 ids in the store: x\d-abcd x\d-abcd"):
        store.id_of("abcd")


def test_tags_notes_and_exports_are_of_whole_evaluations(store, tmp_path):
    name = store.save([result_of(1), result_of(2, provider="dense")])
    store.bless("latest#dense", "best")
    ways = {
        "tagged": lambda word: store.tag(word, "x"),
        "annotated": lambda word: store.note(word, "x"),
        "exported": lambda word: store.export(tmp_path / "x.zst", [word]),
        "deleted": store.delete,
    }
    for done, work in ways.items():
        for part in ("dense", "nonsense"):
            with pytest.raises(UsageError, match=f"evaluations are {done} whole: write {name}, not {name}#{part}"):
                work(f"latest#{part}")
    assert (store.latest().tags, store.latest().notes, list(tmp_path.glob("*.zst"))) == ((), (), [])
    assert store.tag("best", "x") == name
    assert store.delete("best", force=True) == [name]


def test_what_is_no_result_no_word_and_no_number_is_told(store):
    assert store.save(result_of(1)) == store.latest().id  # one by itself is one
    for wrong in ({"a": 1}, 3, None, ["x"], "x"):
        with pytest.raises(BadParameter, match="only results are saved"):
            store.save(wrong)
    for how in ({"since": 3}, {"benchmark": 3}, {"provider": ["x"]}, {"tag": 1}, {"limit": -1}, {"limit": "2"}):
        with pytest.raises(BadParameter, match=next(iter(how))):
            store.list(**how)
    with pytest.raises(BadParameter, match="a reference is a text such as latest, not 3"):
        store.find(3)
