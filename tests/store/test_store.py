"""The store, in SQLite and in PostgreSQL: what is saved is found again, whole and once, and deleted when it shall be."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests._results import differences, saved_and_read

import assay
from assay import Policy, Query
from assay.errors import StoreError, UsageError
from assay.evaluation import Confidence
from assay.store import Store

from ._results import DAY, result_of


def test_an_evaluation_comes_back_whole_with_text_of_all_kinds(store):
    results = [result_of(1, started=DAY), result_of(2, provider="dense", started=DAY)]
    name = store.save(results, {"k": 100})
    assert name.startswith("2026-11-15-small-")
    found = store.find(name)
    assert (found.id, found.plan, found.started) == (name, {"k": 100}, "2026-11-15T09:30:00.000000+00:00")
    for result, back in zip(results, found.results, strict=True):
        assert differences(back, saved_and_read(result)) == {}
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
    others = [
        store.save([result_of(2), result_of(1)], {"k": 1}),
        store.save([result_of(1), result_of(2)], {"k": 2}),
        store.save([result_of(1), result_of(2)], {"k": 1}, started=DAY),
        store.save([result_of(1).with_fields(notes=("look",)), result_of(2)], {"k": 1}),
        store.save([result_of(1).with_fields(run={}), result_of(2)], {"k": 1}),
    ]
    assert len({name, *others}) == 6
    assert store.count() == 12


def test_references(store):
    ids = [store.save([result_of(n, started=DAY), result_of(n, provider="dense", started=DAY)]) for n in range(3)]
    assert [store.id_of(word) for word in ("latest", "latest~0", "latest~1", "latest~2")] == [ids[2], ids[2], ids[1], ids[0]]
    assert [store.id_of(name) for name in ids] == [store.id_of(name[-4:]) for name in ids] == ids
    assert store.latest().id == ids[2]
    assert [result.name for result in store.find("latest#dense").results] == ["dense"]
    assert [result.name for result in store.find("latest#small/bm25").results] == ["bm25"]
    assert [result.name for result in store.find(f"{ids[0]}#small").results] == ["bm25", "dense"]
    with pytest.raises(UsageError):
        store.find("2026-11-15-small")


def test_deleting_takes_along_what_nobody_else_needs_and_baselines_by_force_only(store):
    keep = store.save([result_of(1)])
    for night in range(3):
        store.delete(store.save([result_of(1).with_fields(notes=(f"night {night}",))]))
    assert store.check().n_payloads == 4  # scores, rankings, queries and grades, which results share
    gone = store.save([result_of(1), result_of(2, "large")])
    store.note(gone, "to be deleted")
    store.tag(gone, "x")
    assert store.delete(gone) == [gone]
    assert [entry.evaluation for entry in store.list()] == [keep]
    check = store.check()
    assert (check.faults, check.n_payloads, check.n_unused, check.n_results) == ((), 4, 0, 1)
    assert differences(store.find(keep).results[0], saved_and_read(result_of(1))) == {}
    other = store.save([result_of(2)])
    store.bless(keep, "main")
    with pytest.raises(UsageError):
        store.delete(other, keep)
    assert store.count() == 2  # all or nothing
    assert store.delete("main", other, force=True) == [keep, other]
    assert (store.count(), store.baselines(), store.check().n_payloads) == (0, {}, 0)


def test_a_store_is_made_only_when_it_shall_be_and_serves_many_threads(url):
    with pytest.raises(StoreError):
        Store.open(url, create=False)
    Store.open(url).close()
    with Store.open(url, create=False) as store, ThreadPoolExecutor(4) as pool:
        ids = list(pool.map(lambda n: store.save([result_of(n)]), range(12)))
        assert (len(set(ids)), store.count(), store.check().faults) == (12, 12, ())


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


IDS = st.text(min_size=1, max_size=5)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda some: st.lists(some, max_size=2) | st.dictionaries(st.text(max_size=4), some, max_size=2),
    max_leaves=5,
)
METRICS = ["map", "ndcg@10", "num_ret", "gm_map", "relstring", "rbp(p=0.5)", "bpref"]
RECORDED = st.dictionaries(st.text(max_size=5).map("own {}".format), ANY_JSON, max_size=3)
"""Under names that have no meaning of their own, any value goes."""


@st.composite
def results(draw):
    """Results as evaluations make them, with whatever may be recorded beside their scores."""
    grades = st.dictionaries(IDS, st.integers(-1, 3), min_size=1, max_size=3)
    qrels = draw(st.dictionaries(IDS, grades, min_size=1, max_size=3))
    run = draw(st.dictionaries(IDS, st.dictionaries(IDS, st.floats(-9, 9), max_size=3), max_size=3))
    run |= {query: dict.fromkeys(docs, 1.0) for query, docs in list(qrels.items())[:1]}
    policies = [{}, {"missing": "skip"}, {"no_relevant": "skip"}, {"rel": 1.5}, {"rel": 9, "no_relevant": "skip"}]
    policy = Policy(**draw(st.sampled_from(policies)))
    metrics = draw(st.lists(st.sampled_from(METRICS), min_size=1, unique=True))
    result = assay.evaluate(qrels, run, metrics, policy=policy, name=draw(st.text(max_size=6)))
    ends = st.floats(allow_nan=True, allow_infinity=False)
    tags = st.dictionaries(IDS, st.text(max_size=3), max_size=2)
    return result.with_fields(
        benchmark=draw(st.text(max_size=6)),
        run=draw(st.sampled_from([{}, run, assay.Run(run)])),
        queries={name: Query(name, draw(st.text(max_size=9)), metadata=draw(tags)) for name in qrels},
        intervals={name: Confidence(draw(ends), draw(ends), 0.95, "t") for name in result.summary},
        failures=draw(st.dictionaries(IDS, st.text(max_size=5), max_size=2)),
        provenance=draw(RECORDED),
        relevance=draw(RECORDED),
        notes=tuple(draw(st.lists(st.text(max_size=5), max_size=2))),
        profile=draw(st.sampled_from(["", "beir"])),
    )


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    with Store.open(tmp_path_factory.mktemp("kept") / "store.db") as store:
        yield store


@given(results())
def test_any_result_comes_back_from_the_store_as_from_a_file(kept, result):
    (back,) = kept.find(kept.save([result])).results
    assert differences(back, saved_and_read(result)) == {}
    assert back.to_dict() == saved_and_read(result).to_dict()


def test_what_cannot_be_saved_or_found(local, snapshots):
    snapshots.check_errors("store/empty", {"empty store": local.latest})
    local.save([result_of(started=DAY), result_of(1, provider="dense", started=DAY)])
    local.save([result_of(2, "large", started=DAY)])
    name = local.id_of("latest~1")
    local.bless(name, "main")
    references = ("latest~7", "nothing", "", "%", "2026-11-15-smal%", "latest~x", "#dense", "a\0b", "\udcff", "mian")
    references += (name.replace("small", "smal"), "latest~1#bm52", "2026-11-15", 3)
    odd = ({"dataset": 5}, {"started": []}, {"chunks": {"n": "many"}})
    cases = {
        **{f"find {word!r}": lambda word=word: local.find(word) for word in references},
        "id of two": lambda: local.id_of("2026"),
        "tagged": lambda: local.tag("latest#bm25", "x"),
        "annotated": lambda: local.note("latest#nobody", "x"),
        "exported": lambda: local.export("x.zst", ["latest#bm25"]),
        "deleted": lambda: local.delete("latest#bm25"),
        "delete a baseline": lambda: local.delete("latest", name),
        "delete nothing": lambda: local.delete("latest", "nothing"),
        "save nothing": lambda: local.save([]),
        **{f"save {wrong!r}": lambda wrong=wrong: local.save(wrong) for wrong in ({"a": 1}, 3, None, ["x"], "x")},
        "plan": lambda: local.save([result_of()], "plan.yaml"),
        "started": lambda: local.save([result_of()], started="yesterday"),
        **{f"provenance {one}": lambda one=one: local.save([result_of().with_fields(provenance=one)]) for one in odd},
    }
    snapshots.check_errors("store/refused", cases)
    assert (local.count(), local.latest().tags, local.latest().notes) == (3, (), ())
