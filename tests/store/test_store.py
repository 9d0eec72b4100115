"""The store, in SQLite and in PostgreSQL: what is saved is found, listed, tagged, blessed and deleted."""

import pytest
from tests._results import differences, saved_and_read

from assay.errors import BadParameter, StoreError, UnknownName, UsageError
from assay.execution.plan import make_plan
from assay.store import Store

from ._days import DAY
from ._results import result_of


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
    result = result_of(provider=odd, benchmark=odd).with_fields(notes=(odd,), failures={"q2": odd})
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
        store.save([result_of(1).with_fields(notes=(f"night {night}",))])
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


def of_evaluation(name, result, **changes):
    return result.with_fields(provenance={**result.provenance, "evaluation": name, **changes})


def test_an_evaluation_that_was_resumed_after_it_was_saved_is_there_once(store):
    """Its results say when they were made, and that is another time; what was asked, answered and scored is the same."""
    first = [of_evaluation("a", result_of(n, provider=f"p{n}", started="2026-11-15T01:00:00+00:00")) for n in (1, 2)]
    resumed = [of_evaluation("a", one, started="2026-11-15T02:00:00+00:00", counts={"cached": 3}) for one in first]
    name = store.save(first, {"seed": 1})
    assert store.save(resumed, {"seed": 1}) == name
    assert store.count() == 2
    assert store.find(name).results[0].provenance["started"] == "2026-11-15T01:00:00+00:00"
    others = [
        store.save([of_evaluation("b", one) for one in first], {"seed": 1}),
        store.save(resumed, {"seed": 2}),
        store.save(resumed[:1], {"seed": 1}),
        store.save([resumed[0], of_evaluation("a", result_of(3, provider="p2"))], {"seed": 1}),
        store.save([one.with_fields(failures={}) for one in resumed], {"seed": 1}),
        store.save([resumed[0], resumed[1].with_fields(provenance={})], {"seed": 1}),
    ]
    assert len({name, *others}) == 7


def test_an_evaluation_that_was_resumed_is_imported_once(store, tmp_path):
    one = of_evaluation("a", result_of(1, started="2026-11-15T01:00:00+00:00"))
    again = of_evaluation("a", one, started="2026-11-15T02:00:00+00:00")
    with Store.open(tmp_path / "other.db") as other:
        other.save(again)
        other.export(tmp_path / "other.zst")
    name = store.save(one)
    assert store.import_(tmp_path / "other.zst").known == (name,)
    assert store.count() == 1
