"""The store, in SQLite and in PostgreSQL: what is saved is found, listed, tagged, blessed and deleted."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

import assay
from assay.errors import BadParameter, StoreError, UnknownName, UsageError
from assay.evaluation.plan import make_plan
from assay.store import Store
from assay.store.parcel import Figure

from ._results import differences, result_of, saved_and_read

DAY = "2026-11-15T09:30:00+00:00"


def days_ago(days):
    return (datetime.now(UTC) - timedelta(days=days)).isoformat()


def test_an_evaluation_comes_back_whole(store):
    results = [result_of(1, started=DAY), result_of(2, provider="dense", started=DAY)]
    name = store.save(results, {"k": 100})
    assert name.startswith("2026-11-15-small-")
    found = store.find(name)
    assert (found.id, found.plan, found.started) == (name, {"k": 100}, "2026-11-15T09:30:00.000000+00:00")
    assert len(found.results) == 2
    for result, back in zip(results, found.results, strict=True):
        assert differences(back, saved_and_read(result)) == {}
    assert store.check().faults == ()


def test_text_of_all_kinds_is_kept(store):
    odd = "Krampfanfälle 癲癇 \0 \x1b[31m \ud800 'x\" 💊"
    result = replace(result_of(provider=odd, benchmark=odd), notes=(odd,), failures={"q2": odd})
    store.save([result], {odd: odd})
    (back,) = store.latest().results
    assert (back.name, back.benchmark, back.notes, back.failures) == (odd, odd, (odd,), {"q2": odd})
    assert store.latest().plan == {odd: odd}
    assert [entry.evaluation for entry in store.list(provider=odd, benchmark=odd)] == [store.latest().id]
    assert store.check().faults == ()


def test_the_same_is_kept_once(store):
    name = store.save([result_of(1), result_of(2)], {"k": 1})
    assert store.save([result_of(1), result_of(2)], {"k": 1}) == name
    assert store.count() == 2
    assert store.save([result_of(2), result_of(1)], {"k": 1}) != name
    assert store.save([result_of(1), result_of(2)], {"k": 2}) != name
    assert store.save([result_of(1), result_of(2)], {"k": 1}, started=DAY) != name
    assert store.count() == 8


def test_a_plan_may_say_when_it_began(store):
    for number, began in enumerate((DAY, "2026-11-16T01:00:00+02:00")):
        assert store.save([result_of(number)], {"started": began}).startswith("2026-11-15-small-")
    store.save([result_of()], {"started": "soon"})
    assert store.latest().started == store.latest().saved


def test_what_results_share_is_there_once(store):
    for night in range(4):
        store.save([replace(result_of(1), notes=(f"night {night}",))])
    assert store.check().n_payloads == 4  # scores, rankings, queries and grades


def test_a_plan_is_kept_as_it_was_made(store):
    plan = make_plan({"benchmarks": "rag-template", "providers": "bm25", "metrics": ["mrr"], "by": "difficulty"})
    store.save([result_of()], plan)
    kept = store.latest().plan
    assert kept["metrics"] == ["mrr"]
    assert (kept["by"], kept["statistics"]["alpha"]) == (["difficulty"], 0.05)
    with pytest.raises(BadParameter, match="a plan is a Plan or a mapping, not a str"):
        store.save([result_of()], "plan.yaml")


def test_nothing_to_save_is_told(store):
    with pytest.raises(UsageError, match="there is no result to save"):
        store.save([])
    with pytest.raises(BadParameter, match="started is a time such as"):
        store.save([result_of()], started="yesterday")


def test_several_benchmarks_and_odd_names_give_readable_ids(store):
    two = store.save([result_of(1, "data/HPO (en).json", started=DAY), result_of(2, "other", started=DAY)])
    assert two.startswith("2026-11-15-hpo-en-json-and-1-more-")
    assert store.save([result_of(1, "", "BM25 tuned", started=DAY)]).startswith("2026-11-15-bm25-tuned-")
    assert store.save([result_of(1, "病", started=DAY)]).startswith("2026-11-15-evaluation-")


# References


def test_references(store):
    ids = [store.save([result_of(n, started=DAY), result_of(n, provider="dense", started=DAY)]) for n in range(3)]
    assert [store.id_of(word) for word in ("latest", "latest~0", "latest~1", "latest~2")] == [ids[2], ids[2], ids[1], ids[0]]
    assert [store.id_of(name) for name in ids] == ids
    assert store.latest().id == ids[2]
    assert [result.name for result in store.find("latest#dense").results] == ["dense"]
    assert [result.name for result in store.find("latest#small/bm25").results] == ["bm25"]
    assert [result.name for result in store.find(f"{ids[0]}#small").results] == ["bm25", "dense"]
    with pytest.raises(UsageError, match=r"'2026-11-15-small' begins 3 ids in the store: 2026-11-15-small-.*"):
        store.find("2026-11-15-small")


def test_the_beginning_of_an_id_is_enough(store):
    first = store.save([result_of(1, "alpha", started=DAY)])
    store.save([result_of(1, "beta", started=DAY)])
    assert store.id_of("2026-11-15-a") == first
    assert store.id_of(first[:-2]) == first


@pytest.mark.parametrize(
    "reference", ["latest~1", "nothing", "", "%", "2026-11-15-smal%", "latest~x", "#dense", "a\0b", "\udcff"]
)
def test_unknown_references_are_told(store, reference):
    store.save([result_of(started=DAY)])
    with pytest.raises(UnknownName, match="no stored evaluation is called"):
        store.find(reference)


def test_what_may_have_been_meant_is_told(store):
    name = store.save([result_of(started=DAY)])
    store.bless("latest", "main")
    with pytest.raises(UnknownName, match=rf"Did you mean {name}\?.*assay results lists them; baselines: main"):
        store.find(name.replace("small", "smal"))
    with pytest.raises(UnknownName, match=r"no stored evaluation is called 'mian'\. Did you mean main\?"):
        store.find("mian")
    with pytest.raises(UnknownName, match=r"no result of .* is called 'bm52'\. Did you mean.*it has small/bm25"):
        store.find("latest#bm52")
    with pytest.raises(UnknownName, match=r"it holds 1 evaluation; the first is latest~0"):
        store.find("latest~7")


def test_an_empty_store_says_so(store):
    with pytest.raises(UnknownName, match=r"the store is empty; assay eval puts one there"):
        store.latest()
    assert (store.list(), store.history("mrr"), store.baselines(), store.count()) == ([], [], {}, 0)


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


# Said about evaluations


def test_tags_come_and_go(store):
    name = store.save([result_of()])
    assert store.tag("latest", "nightly", "x") == name
    store.tag("latest", "nightly")
    assert store.latest().tags == ("nightly", "x")
    store.tag("latest", "x", "never", remove=True)
    assert store.latest().tags == ("nightly",)
    for wrong in ("", "two words", "a,b", "a\nb", "-x", "x" * 81):
        with pytest.raises(BadParameter, match="a tag is one word"):
            store.tag("latest", wrong)


def test_notes_are_kept_in_their_order(store):
    store.save([result_of()])
    for text in ("first", "second\0 \ud800"):
        store.note("latest", text)
    assert [note.text for note in store.latest().notes] == ["first", "second\\x00 \\ud800"]
    with pytest.raises(UsageError, match="a note says something"):
        store.note("latest", "  ")


def test_baselines_are_chosen_and_never_drift(store):
    first = store.save([result_of(1)])
    assert store.bless("latest", "main") == ("main", first, None)
    second = store.save([result_of(2)])
    assert store.baselines() == {"main": first}
    assert store.find("main").id == first
    assert store.bless("latest", "main") == ("main", second, first)
    assert store.bless("latest~1", "release/1.0") == ("release/1.0", first, None)
    assert store.baselines() == {"main": second, "release/1.0": first}
    assert store.find("main").baselines == ("main",)


def test_one_result_may_be_a_baseline(store):
    name = store.save([result_of(1), result_of(2, provider="dense")])
    assert store.bless("latest#dense", "best").evaluation == f"{name}#dense"
    assert [result.name for result in store.find("best").results] == ["dense"]
    assert [result.name for result in store.find("best#bm25").results] == ["bm25"]
    with pytest.raises(UnknownName, match="no result of"):
        store.bless("latest#nobody", "best")


@pytest.mark.parametrize(
    "name",
    [
        *("latest", "", "a b", "x#y", "-x", "latest~1", "x" * 81, "../../x", "a//b", "/x", "./x", ".x", "x/", "~/x"),
        *("2026-11-15", "2026-11-15-small-7f3a", "v1.json", "release/v1.JSN", "all.jsonl.zst", 3, None),
    ],
)
def test_baselines_have_names_that_can_be_told_apart(store, name):
    store.save([result_of()])
    with pytest.raises(BadParameter, match="a baseline is called by letters"):
        store.bless("latest", name)


# Deleting


def test_deleting_takes_along_what_nobody_else_needs(store):
    keep = store.save([result_of(1)])
    gone = store.save([result_of(1), result_of(2, "large")])
    store.note(gone, "to be deleted")
    store.tag(gone, "x")
    assert store.delete(gone) == [gone]
    assert [entry.evaluation for entry in store.list()] == [keep]
    check = store.check()
    assert (check.faults, check.n_payloads, check.n_unused, check.n_results) == ((), 4, 0, 1)
    assert differences(store.find(keep).results[0], saved_and_read(result_of(1))) == {}


def test_baselines_are_deleted_by_force_only(store):
    name = store.save([result_of(1)])
    other = store.save([result_of(2)])
    store.bless(name, "main")
    with pytest.raises(UsageError, match=rf"{name} is the baseline main; --force deletes it too"):
        store.delete(other, name)
    assert store.count() == 2  # all or nothing
    assert store.delete("main", other, force=True) == [name, other]
    assert (store.count(), store.baselines(), store.check().n_payloads) == (0, {}, 0)


def test_evaluations_are_deleted_whole(store):
    name = store.save([result_of(1), result_of(2, provider="dense")])
    with pytest.raises(UsageError, match=rf"evaluations are deleted whole: write {name}, not {name}#dense"):
        store.delete("latest#dense")
    with pytest.raises(UnknownName):
        store.delete("latest", "nothing")
    assert store.count() == 2


def test_vacuum_leaves_everything_as_it_is(store):
    store.save([result_of(1)])
    store.save([result_of(2)])
    store.delete("latest")
    assert store.vacuum() == 0
    assert store.check().faults == ()
    assert store.count() == 1


# Opening


def test_a_store_is_made_only_when_it_shall_be(url):
    with pytest.raises(StoreError, match=r"there is no store at .* yet: assay eval makes one"):
        Store.open(url, create=False)
    Store.open(url).close()
    with Store.open(url, create=False) as store:
        assert store.count() == 0


def test_no_file_appears_where_none_was_asked_for(tmp_path):
    with pytest.raises(StoreError):
        Store.open(tmp_path / "a" / "store.db", create=False)
    assert list(tmp_path.iterdir()) == []


def test_one_store_serves_many_threads(store):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        ids = list(pool.map(lambda n: store.save([result_of(n)]), range(12)))
    assert len(set(ids)) == 12
    assert store.count() == 12
    assert store.check().faults == ()


def test_the_store_says_where_it_is(url):
    with Store.open(url) as store:
        assert "s3cret" not in repr(store)
        assert str(store.place) in repr(store)


# What may be compared, what was a baseline, what failed


def test_figures_compare_only_where_judgments_policy_profile_and_relevance_are_the_same(store):
    qrels, run = {"q1": {"a": 1, "b": 2}, "q2": {"b": 1}}, {"q1": ["a", "b"], "q2": ["b"]}
    first = assay.evaluate(qrels, run, "mrr", name="p")
    different = [
        first,
        assay.evaluate({**qrels, "q1": {"z": 1}}, run, "mrr", name="p"),
        assay.evaluate(qrels, run, "mrr", policy=assay.Policy(rel=2), name="p"),
        assay.evaluate(qrels, run, "mrr", profile="ranx", name="p"),
        replace(first, relevance={"strategy_used": "token", "token_threshold": 0.3}),
        replace(first, relevance={"strategy_used": "token", "token_threshold": 0.5}),
    ]
    for result in different:
        store.save([replace(result, benchmark="b")])
    assert len({point.dataset for point in store.history("mrr")}) == len(different)
    same = assay.evaluate(qrels, {"q1": ["b"], "q2": ["c"]}, ["map", "mrr"], name="other")
    counts = {"strategy_used": "qrels", "strategy_counts": {"qrels": 1}}
    store.save([replace(same, benchmark="b", relevance=counts)])
    assert store.history("mrr", provider="other")[0].dataset == store.history("mrr", provider="p")[0].dataset


def test_judgments_made_of_what_was_retrieved_do_not_part_systems(store):
    for number, doc in enumerate("ab"):
        result = assay.evaluate({"q": {doc: 1}}, {"q": [doc]}, "mrr", name=f"p{number}")
        store.save([replace(result, benchmark="b", relevance={"strategy_used": "token"})])
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
    failed = replace(result_of(1), failures=dict.fromkeys(result_of(1).query_ids, "ConnectionError: refused"))
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
