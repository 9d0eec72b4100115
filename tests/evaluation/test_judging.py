"""Judging: a dataset and a run become judgments, whoever decides; chunks, documents, maps; and what a result says of it."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import BadParameter, DataError, Document, Hit, Policy, Query, Run, UnknownName, UsageError
from assay.datasets import BenchmarkDataset
from assay.evaluation import Relevance, grader, judge, read_id_map, relevance
from assay.evaluation.relevance import Contents, roll_up
from assay.files import FileSource, quick_runs

JUDGED = BenchmarkDataset("Judged", queries={"q": Query("q")}, qrels={"q": {"d1": 2, "d2": 1}})
CHUNKS = {"q": {"d1#0": 4.0, "d1#1": 3.0, "d9#0": 2.0, "d2#4": 1.0}}


def worded():
    """A query with an expected answer, and documents."""
    dataset = BenchmarkDataset("Worded", queries={"q": Query("q", expected="red cat")})
    for doc, text in {"d1": "red cat", "d2": "a red cat", "d3": "blue dog"}.items():
        dataset.add_document(Document(doc, text))
    return dataset


# Relevance: who decides


def test_by_default_it_is_auto_and_ids_are_compared_as_they_are():
    assert (Relevance().by, Relevance().unit, Relevance().id_map, Relevance().defaults) == ("auto", "as_retrieved", None, {})


def test_a_unit_that_does_not_exist_is_refused():
    with pytest.raises(BadParameter, match="unit is one of as_retrieved, chunk, document, not 'page'"):
        Relevance(unit="page")


@pytest.mark.parametrize(("given", "unit"), [("as_retrieved", "document"), ("document", "document"), ("chunk", "chunk")])
def test_a_map_alone_rolls_up(given, unit):
    assert Relevance(unit=given, id_map={}).unit == unit


def test_an_unknown_resolver_is_refused():
    for rule in ("tokn", Relevance("tokn")):
        with pytest.raises(UnknownName, match="Did you mean token"):
            assay.evaluate(worded(), {"q": ["d1"]}, "mrr", relevance=rule)


@pytest.mark.parametrize("relevance", ["token", Relevance("qrels"), Relevance(unit="chunk")])
def test_relevance_needs_a_dataset(relevance):
    with pytest.raises(UsageError, match="relevance needs a BenchmarkDataset"):
        assay.evaluate({"q": {"d1": 1}}, {"q": ["d1"]}, "mrr", relevance=relevance)


def test_parameters_for_whoever_has_them():
    run = {"q": ["d3", "d2"]}
    strict = Relevance("auto", defaults={"threshold": 0.9})
    assert assay.evaluate(worded(), run, "mrr", relevance=strict)["mrr"] == 0.0
    assert assay.evaluate(worded(), run, "mrr")["mrr"] == 0.5


# Judgments alone: nothing is read that is not needed


class Untouchable(dict):
    """Documents that nobody may look at."""

    def __getattribute__(self, name):
        raise AssertionError(f"documents were asked for {name}")

    __iter__ = __len__ = __getitem__ = __contains__ = None


@pytest.mark.parametrize("relevance", ["auto", "qrels", " auto ", Relevance("qrels")])
def test_where_judgments_decide_documents_are_not_looked_at(relevance):
    dataset = BenchmarkDataset("Judged", queries=JUDGED.queries, qrels=JUDGED.qrels, documents=Untouchable())
    result = assay.evaluate(dataset, {"q": ["x", "d1"]}, "mrr", relevance=relevance)
    assert result["mrr"] == 0.5
    assert result.relevance["strategy_counts"] == {"qrels": 1}


def test_where_judgments_decide_the_run_is_handed_on_as_it_is(tmp_path):
    (tmp_path / "run.txt").write_text("q Q0 d1 1 1.0 tag\n")
    source = FileSource.at(tmp_path / "run.txt")
    assert judge(JUDGED, source, Relevance(), Policy()).run is source
    run = {"q": {"d1": 1.0}}
    assert judge(JUDGED, run, Relevance(), Policy()).run is run


def test_a_large_file_is_still_read_the_quick_way(tmp_path, monkeypatch):
    monkeypatch.setattr(quick_runs, "is_large", lambda source: True)
    path = tmp_path / "run.txt"
    path.write_text("".join(f"q Q0 d{number} {number} {100 - number} tag\n" for number in range(2, 60)))
    for module, name in ((relevance, "Run"), (relevance, "hits_of"), (grader, "as_rankings")):
        monkeypatch.setattr(module, name, None)
    result = assay.evaluate(JUDGED, path, ["mrr", "recall"])
    assert result.summary == {"mrr": 1.0, "recall": 0.5}


def test_queries_without_judgments_need_a_closer_look():
    dataset = BenchmarkDataset("Half", queries={"q": Query("q"), "p": Query("p", expected="cat")}, qrels={"q": {"d": 1}})
    result = assay.evaluate(dataset, {"q": ["d"], "p": [Hit("c", 1.0, "cat")]}, "mrr")
    assert result.relevance["strategy_counts"] == {"qrels": 1, "token-fallback": 1}
    assert result.scores("mrr") == {"q": 1.0, "p": 1.0}


def test_judged_queries_that_nobody_wrote_down_are_queries():
    dataset = BenchmarkDataset("Ids", qrels={"q": {"d1": 1}, "p": {"d2": 1}}, queries={"q": Query("q")})
    run = {"q": ["d1#1"], "p": ["x#1", "d2#1"]}
    plain = {query: [chunk.partition("#")[0] for chunk in chunks] for query, chunks in run.items()}
    assert assay.evaluate(dataset, plain, "mrr").scores("mrr") == {"q": 1.0, "p": 0.5}
    for unit in ("chunk", "document"):
        assert assay.evaluate(dataset, run, "mrr", relevance=Relevance(unit=unit)).scores("mrr") == {"q": 1.0, "p": 0.5}


def test_contents_are_read_when_the_first_is_asked_for():
    dataset = worded()
    contents = Contents(dataset)
    dataset.add_document(Document("d4", "late", title="Too"))
    assert (len(contents), list(contents)) == (4, ["d1", "d2", "d3", "d4"])
    assert contents["d4"] == "Too\nlate"
    assert "d5" not in contents


# Runs whose hits bring texts

HITS = {
    "ids and texts": {"q": [{"id": "d2", "content": "x"}, {"id": "d1", "content": "red cat"}]},
    "hits": {"q": [Hit("d2", 2.0, "x"), Hit("d1", 1.0, "red cat")]},
    "rows of hits": [
        {"query_id": "q", "doc_id": "d2", "text": "x", "score": 2},
        {"query_id": "q", "doc_id": "d1", "text": "red cat", "score": 1},
    ],
    "queries with hits": [{"query_id": "q", "results": [{"id": "d2", "text": "x"}, {"id": "d1", "text": "red cat"}]}],
}


@pytest.mark.parametrize("run", HITS.values(), ids=HITS)
@pytest.mark.parametrize("as_file", [False, True])
def test_hits_that_bring_text_are_scored_by_it_and_by_their_ids(tmp_path, run, as_file):
    if as_file:
        (tmp_path / "run.json").write_text(json.dumps(run, default=dataclasses.asdict))
        run = tmp_path / "run.json"
    assert assay.evaluate(worded(), run, "mrr", relevance="token")["mrr"] == 0.5
    judged = BenchmarkDataset("Judged", queries={"q": Query("q", expected="x")}, qrels={"q": {"d1": 1}})
    assert assay.evaluate(judged, run, "mrr")["mrr"] == 0.5


def test_hits_without_ids_are_known_by_their_place():
    run = {"q": [{"content": "blue"}, {"content": "red cat"}]}
    judgement = judge(worded(), run, Relevance("token"), Policy())
    assert judgement.qrels["q"] == {"q#1": 0.0, "q#2": 1.0}
    assert dict(judgement.resolved.counted_over) == {"retrieved": 1}


def test_hits_without_text_have_the_documents():
    assert assay.evaluate(worded(), {"q": [Hit("d3", 2.0), Hit("d1", 1.0)]}, "mrr", relevance="token")["mrr"] == 0.5


def test_metadata_of_hits_reach_a_pack():
    pack = assay.model.records.Pack("meta", lambda query, hit: (hit.metadata or {}).get("turn"), lambda query: 1)
    dataset = BenchmarkDataset("Meta", queries={"q": Query("q")}, pack=pack)
    run = {"q": [{"content": "a"}, {"content": "b", "metadata": {"turn": "D1:3"}}]}
    assert assay.evaluate(dataset, run, ["mrr", "recall"]).summary == {"mrr": 0.5, "recall": 1.0}


# What cannot be ranked


@pytest.mark.parametrize("unit", ["as_retrieved", "chunk", "document"])
@pytest.mark.parametrize("bad", [None, "abc", float("nan"), []], ids=repr)
def test_a_score_that_is_no_number_is_named_whatever_the_unit(unit, bad):
    with pytest.raises(DataError, match=r"query q.*d1#0"):
        assay.evaluate(JUDGED, {"q": {"x": 1.0, "d1#0": bad}}, "mrr", relevance=Relevance(unit=unit))


@pytest.mark.parametrize("unit", ["chunk", "document"])
def test_whole_numbers_among_ids_are_written_out(unit):
    dataset = BenchmarkDataset("Ids", queries={"q": Query("q")}, qrels={"q": {"7": 1}})
    assert assay.evaluate(dataset, {"q": {"a": 2.0, 7: 1.0}}, "mrr", relevance=Relevance(unit=unit))["mrr"] == 0.5


@pytest.mark.parametrize("unit", ["chunk", "document"])
@pytest.mark.parametrize(
    "run", [{"q": [("d1#0", 1.0), ("d1#0", 2.0)]}, {"q": [Hit("d1#0", 1.0, "a"), Hit("d1#0", 2.0, "b")]}]
)
def test_duplicates_are_the_policys_business(unit, run):
    with pytest.raises(DataError, match=r"query q: document d1#0 appears twice"):
        assay.evaluate(JUDGED, run, "mrr", relevance=Relevance(unit=unit))
    policy = Policy(duplicates="keep_best")
    assert assay.evaluate(JUDGED, run, "mrr", relevance=Relevance(unit=unit), policy=policy)["mrr"] == 1.0


def test_of_two_hits_with_one_id_the_better_brings_the_text():
    run = {"q": [Hit("c", 2.0, "red cat"), Hit("c", 1.0, "blue")]}
    result = assay.evaluate(worded(), run, "mrr", relevance="token", policy=Policy(duplicates="keep_best"))
    assert result["mrr"] == 1.0


# Chunks and documents


def test_units_by_hand():
    metrics = ["precision@2", "recall@3", "ndcg@4"]
    assert assay.evaluate(JUDGED, CHUNKS, metrics).summary == {"precision@2": 0.0, "recall@3": 0.0, "ndcg@4": 0.0}
    chunk = assay.evaluate(JUDGED, CHUNKS, metrics, relevance=Relevance(unit="chunk"))
    assert (chunk["precision@2"], chunk["recall@3"]) == (0.5, 0.5)
    document = assay.evaluate(JUDGED, CHUNKS, metrics, relevance=Relevance(unit="document"))
    assert (document["precision@2"], document["recall@3"]) == (0.5, 1.0)
    assert chunk["ndcg@4"] == pytest.approx((2 + 1 / 2.321928094887362) / (2 + 1 / 1.584962500721156))
    assert document["ndcg@4"] == pytest.approx((2 + 1 / 2) / (2 + 1 / 1.584962500721156))


def test_the_raw_ranking_of_chunks_is_kept():
    judgement = judge(JUDGED, CHUNKS, Relevance(unit="document"), Policy())
    assert dict(judgement.chunks) == CHUNKS
    assert judge(JUDGED, CHUNKS, Relevance(unit="chunk"), Policy()).chunks is None


@pytest.mark.parametrize("ties", ["docid_desc", "docid_asc", "input_order"])
def test_of_tied_chunks_the_first_by_the_tie_rule_is_credited(ties):
    run = {"q": {"d1#0": 1.0, "d1#1": 1.0, "d1#2": 1.0}}
    policy = Policy(ties=ties)
    result = assay.evaluate(JUDGED, run, ["mrr", "precision@3"], relevance=Relevance(unit="chunk"), policy=policy)
    assert result.summary == {"mrr": 1.0, "precision@3": 1 / 3}


def test_a_dropped_self_takes_no_credit():
    dataset = BenchmarkDataset("Self", queries={"d1#0": Query("d1#0")}, qrels={"d1#0": {"d1": 1}})
    run = {"d1#0": ["d1#0", "d1#1"]}
    policy = Policy(drop_self=True)
    assert assay.evaluate(dataset, run, "mrr", relevance=Relevance(unit="chunk"), policy=policy)["mrr"] == 1.0


MAP = {"c1": "d1", "c2": "d1", "c3": "d2"}
FILES = {
    "JSON": json.dumps(MAP),
    "JSON with a mark in front": "\ufeff" + json.dumps(MAP),
    "blanks": "c1 d1\n\nc2   d1\nc3 d2\n",
    "tabs": "c1\td1\r\nc2\td1\r\nc3\td2",
}


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_a_map_is_read_from_json_or_two_columns(tmp_path, content):
    path = tmp_path / "map"
    path.write_bytes(content.encode())
    assert read_id_map(path) == MAP
    for known in (MAP, path, str(path)):
        relevance = Relevance(unit="chunk", id_map=known)
        result = assay.evaluate(JUDGED, {"q": ["c1", "c2", "c3", "d2"]}, ["precision@4", "recall"], relevance=relevance)
        assert result.summary == {"precision@4": 0.5, "recall": 1.0}


def test_tabs_hold_ids_with_blanks(tmp_path):
    (tmp_path / "map.tsv").write_text("chunk 1\tmy doc\n")
    assert read_id_map(tmp_path / "map.tsv") == {"chunk 1": "my doc"}


def test_whole_numbers_may_be_mapped():
    dataset = BenchmarkDataset("Numbers", queries={"1": Query(1)}, qrels={"1": {"7": 1}})
    assert assay.evaluate(dataset, {1: [3]}, "mrr", relevance=Relevance(id_map={3: 7}))["mrr"] == 1.0
    assert assay.evaluate(dataset, {1: [3]}, "mrr", relevance=Relevance(unit="chunk", id_map={"3": 7}))["mrr"] == 1.0


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("c1 d1\n\nc2\n", ":3: expected 2 columns (chunk document), found 1"),
        ("c1 d1 d2", ":1: expected 2 columns (chunk document), found 3"),
        ('{"c1": ', ":1: not JSON: Expecting value"),
        ('{"c1": ["d1"]}', ": c1: expected a number or a text, found a list"),
        ('{"c1": null}', ": c1: expected a number or a text, found null"),
        ("[1, 2]\n[3]", ":2: expected 2 columns"),
    ],
)
def test_a_faulty_map_says_where(tmp_path, content, said):
    path = tmp_path / "map"
    path.write_text(content)
    with pytest.raises(DataError) as error:
        assay.evaluate(JUDGED, {"q": ["c1"]}, "mrr", relevance=Relevance(id_map=path))
    assert f"{path}{said}" in str(error.value)


def test_a_map_that_cannot_be_read(tmp_path):
    (tmp_path / "latin").write_bytes(b"\xe4 d")
    with pytest.raises(DataError, match=f"{tmp_path / 'none'}: no such file"):
        read_id_map(tmp_path / "none")
    for path in (tmp_path, tmp_path / "latin"):
        with pytest.raises(DataError, match=f"{path}: cannot be read"):
            read_id_map(path)


@pytest.mark.parametrize(
    ("chunk", "document"),
    [
        ("d1#3", "d1"),
        ("d1::3", "d1"),
        ("d1_chunk_3", "d1"),
        ("d1/chunk3", "d1"),
        ("d1-chunk-3", "d1"),
        ("d1@3", "d1"),
        ("d1|3", "d1"),
    ],
)
def test_without_a_map_the_id_says_which_document_a_chunk_belongs_to(chunk, document):
    dataset = BenchmarkDataset("Named", queries={"q": Query("q")}, qrels={"q": {document: 1}})
    assert assay.evaluate(dataset, {"q": ["x", chunk]}, "mrr", relevance=Relevance(unit="document"))["mrr"] == 0.5


def test_an_id_that_is_a_document_is_no_chunk():
    dataset = BenchmarkDataset("Whole", queries={"q": Query("q")}, qrels={"q": {"a#1": 1}})
    dataset.add_document(Document("b#1", "text"))
    for unit in ("chunk", "document"):
        judgement = judge(dataset, {"q": ["b#1", "a#1"]}, Relevance(unit=unit), Policy())
        assert list(judgement.run["q"]) == ["b#1", "a#1"]
        assert judgement.qrels["q"]["a#1"] == 1


@given(st.dictionaries(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), st.floats(-5, 5), max_size=10))
def test_a_rolled_up_document_has_its_best_score(scores):
    run = Run({"q": {f"{doc}#{part}": score for (doc, part), score in scores.items()}})
    rolled = roll_up(run, lambda chunk: chunk.partition("#")[0])
    best = {doc: max(score for (one, _), score in scores.items() if one == doc) for doc in {doc for doc, _ in scores}}
    assert rolled["q"] == best
    first = list(dict.fromkeys(chunk[0] for chunk in run.ranked(0)))
    assert [best[doc] for doc in rolled.ranked(0)] == [best[doc] for doc in first]


def test_a_rolled_up_run_keeps_queries_and_tag(tmp_path):
    (tmp_path / "run.txt").write_text("q Q0 d1#0 1 2 bm25\np Q0 d1#0 1 2 bm25\n")
    rolled = roll_up(Run(str(tmp_path / "run.txt")), lambda chunk: "d")
    assert (rolled.query_ids, rolled.tag) == (("q", "p"), "bm25")


def test_a_rolled_up_document_says_what_its_best_chunk_says():
    run = {"q": [Hit("d1#0", 1.0, "blue"), Hit("d3#0", 2.0, "red cat"), Hit("d3#1", 1.5, "grey")]}
    judgement = judge(worded(), run, Relevance("token", unit="document"), Policy())
    assert judgement.qrels["q"] == {"d3": 1.0, "d1": 0.0, "d2": 1.0}
    result = assay.evaluate(worded(), run, "mrr", relevance=Relevance("token", unit="document"))
    assert result["mrr"] == 1.0
    assert result.relevance["counted_over"] == {"scope": 1}


def test_chunks_without_text_are_rolled_up_to_the_text_of_their_document():
    for run in ({"q": ["d3#0", "d1#0"]}, {"q": [Hit("d3#0", 2.0), Hit("d1#0", 1.0)]}):
        assert assay.evaluate(worded(), run, "mrr", relevance=Relevance("token", unit="document"))["mrr"] == 0.5


def test_chunks_of_unknown_documents_are_rolled_up_with_their_text():
    run = {"q": [Hit("x#0", 2.0, "red old cat"), Hit("x#1", 1.0, "blue"), Hit("y#0", 0.0, "blue")]}
    judgement = judge(worded(), run, Relevance("token", unit="document"), Policy())
    assert judgement.qrels["q"] == {"x": 1.0, "y": 0.0}
    assert judgement.resolved.counted_over == {"retrieved": 1}


@pytest.mark.parametrize(("ties", "grade"), [("docid_desc", 0.0), ("docid_asc", 1.0), ("input_order", 0.0)])
def test_of_tied_chunks_the_first_by_the_tie_rule_lends_its_text(ties, grade):
    run = {"q": [Hit("x#1", 1.0, "blue"), Hit("x#0", 1.0, "red cat")]}
    judgement = judge(worded(), run, Relevance("token", unit="document"), Policy(ties=ties))
    assert judgement.qrels["q"]["x"] == grade


def test_a_dropped_self_lends_no_text():
    dataset = BenchmarkDataset("Self", queries={"x#0": Query("x#0", expected="red cat")})
    run = {"x#0": [Hit("x#0", 2.0, "red cat"), Hit("x#1", 1.0, "blue")]}
    relevance = Relevance("token", unit="document")
    assert assay.evaluate(dataset, run, "mrr", relevance=relevance)["mrr"] == 1.0
    assert assay.evaluate(dataset, run, "mrr", relevance=relevance, policy=Policy(drop_self=True))["mrr"] == 0.0


def test_metadata_of_the_best_chunk_reach_the_pack_of_a_rolled_up_document():
    dataset = BenchmarkDataset("Meta", queries={"q": Query("q", evidence=["e1"])})
    run = {"q": [Hit("x#0", 2.0, "a", {"evidence": "e1"}), Hit("y#0", 1.0, "b")]}
    assert assay.evaluate(dataset, run, "mrr", relevance=Relevance(unit="document"))["mrr"] == 1.0


@pytest.mark.parametrize("run", [CHUNKS, {"q": [Hit(chunk, score, "text") for chunk, score in CHUNKS["q"].items()]}])
def test_the_raw_ranking_of_chunks_is_in_the_result(run):
    result = assay.evaluate(JUDGED, run, "mrr", relevance=Relevance(unit="document"))
    assert result.run == CHUNKS
    assert result.to_dict()["run"] == CHUNKS
    for unit in ("as_retrieved", "chunk"):
        assert assay.evaluate(JUDGED, run, "mrr", relevance=Relevance(unit=unit)).run == {}


# What is said about it


@pytest.mark.parametrize("run", [CHUNKS, {"q": ["d1#0"]}])
def test_chunk_ids_that_never_match_are_diagnosed(run):
    (note,) = assay.evaluate(JUDGED, run, "mrr").notes
    assert note == (
        "not one retrieved document occurs in the judgments: the run has ids like 'd1#0', the judgments like 'd1'. "
        "Chunks are rolled up with --unit document, or with --id-map."
    )
    for unit in ("chunk", "document"):
        assert assay.evaluate(JUDGED, run, "mrr", relevance=Relevance(unit=unit)).notes == ()


def test_chunk_ids_in_a_file_are_diagnosed_too(tmp_path):
    (tmp_path / "run.txt").write_text("q Q0 d2_chunk_3 1 2.0 tag\n")
    (note,) = assay.evaluate(JUDGED, tmp_path / "run.txt", "mrr").notes
    assert "the run has ids like 'd2_chunk_3', the judgments like 'd2'. Chunks are rolled up" in note


def test_ids_that_are_no_chunks_are_shown_alone():
    (note,) = assay.evaluate(JUDGED, {"q": ["x#1"]}, "mrr").notes
    assert note == "not one retrieved document occurs in the judgments: the run has ids like 'x#1', the judgments like 'd1'."


def test_several_means_upper_bounds_and_undecided_queries_are_noted():
    dataset = BenchmarkDataset("Mixed", qrels={"q1": {"d": 1}})
    for query in (Query("q1"), Query("q2", expected="cat"), *(Query(f"x{number}") for number in range(7))):
        dataset.add_query(query)
    result = assay.evaluate(dataset, {"q1": ["d"], "q2": [Hit("c", 1.0, "cat")]}, "mrr")
    assert result.notes == (
        "relevance was decided by several means: qrels 1, token-fallback 1.",
        "relevant texts were counted among those retrieved alone in 1 of 2 queries: recall and ndcg are upper bounds.",
        "7 queries without ground truth, left out (x0 x1 x2 x3 x4 …).",
    )
    assert list(result.query_ids) == ["q1", "q2"]


def test_one_means_alone_needs_no_note():
    assert assay.evaluate(worded(), {"q": ["d1"]}, "mrr", relevance="token").notes == ()
    assert assay.evaluate(JUDGED, {"q": ["d1"]}, "mrr").notes == ()


def test_a_result_records_who_decided():
    result = assay.evaluate(worded(), {"q": ["d3", "d1"]}, ["mrr", "recall"], relevance="coverage(threshold=0.9)")
    assert result.summary == {"mrr": 0.5, "recall": 0.5}
    assert result.to_dict()["relevance"] == {
        "strategy_used": "coverage",
        "strategy_counts": {"coverage": 1},
        "queries_with_relevant": 1,
        "relevant_found": 1,
        "exact_matches_found": 1,
        "counted_over": {"scope": 1},
        "undecided": 0,
        "coverage_threshold": 0.9,
    }
    json.dumps(result.to_dict(), allow_nan=False)


def test_plain_judgments_say_nothing_about_relevance():
    result = assay.evaluate({"q": {"d": 1}}, {"q": ["d"]}, "mrr")
    assert result.relevance == {}
    assert "relevance" not in result.to_dict()


@pytest.mark.parametrize("relevance", ["auto", "qrels", Relevance(unit="chunk"), Relevance(unit="document")])
def test_a_dataset_scores_as_its_judgments_do(relevance):
    run = {"q": {"x": 3.0, "d2": 2.0, "d1": 1.0}}
    metrics = ["ndcg@10", "map", "err", "bpref", "recall@2"]
    assert (
        assay.evaluate(JUDGED, run, metrics, relevance=relevance).summary
        == assay.evaluate(JUDGED.qrels, run, metrics).summary
    )


def test_profiles_bands_and_names_work_with_datasets():
    result = assay.evaluate(
        JUDGED,
        CHUNKS,
        "map",
        profile="trec_eval-9",
        name="mine",
        tie_band=True,
        residuals=True,
        relevance=Relevance(unit="chunk"),
    )
    assert (result.name, result.profile) == ("mine", "trec_eval-9")
    assert "map" in result.tie_bands
    assert "map" in result.residuals


@pytest.mark.parametrize(("ties", "kept"), [("docid_desc", ["a", "c"]), ("docid_asc", ["a", "b"])])
def test_rolled_up_documents_are_cut_back_to_the_number_asked_for(ties, kept):
    """By the rule that ranks documents, not by that of their chunks; the chunks stay."""
    run = {"q": {"a#1": 3.0, "a#2": 2.0, "b#9": 1.0, "c#0": 1.0}, "r": {"a#1": 1.0}}
    dataset = BenchmarkDataset(queries={"q": Query("q"), "r": Query("r")}, qrels={"q": {"a": 1, "b": 1, "c": 1}, "r": {}})
    judgement = judge(dataset, run, Relevance(unit="document"), Policy(ties=ties), 2)
    assert [sorted(ranking) for ranking in judgement.run.rankings] == [kept, ["a"]]
    assert [dict(ranking) for ranking in judgement.chunks.rankings] == list(run.values())
    whole = judge(dataset, run, Relevance(unit="document"), Policy(ties=ties)).run
    assert [len(ranking) for ranking in whole.rankings] == [3, 1]
