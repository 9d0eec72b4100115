"""Queries without text, relevant documents that are missing, and judged@10: one rule for all commands."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import assay as library
from assay import BenchmarkDataset, Document, Query, Relevance
from assay.datasets import find_format

METRICS = ("-m", "ndcg@10", "recall@10", "map")
PLACES = {"beir": "beir", "json": "part.json", "trec": "trec"}
N_WITH_TEXT, N_JUDGED, N_DOCUMENTS = 50, 702, 60


def made():
    """50 queries with text, 702 judged; 12 relevant documents of 9 queries with text are not in the corpus."""
    dataset = BenchmarkDataset("part")
    for number in range(N_WITH_TEXT):
        dataset.add_query(Query(f"q{number}", f"word{number} word{number + 1}"))
    for number in range(N_DOCUMENTS):
        dataset.add_document(Document(f"d{number}", f"word{number} passage {number}"))
    dataset.qrels = {f"q{number}": {f"d{number % N_DOCUMENTS}": 1} for number in range(N_JUDGED)}
    for number in range(9):
        dataset.qrels[f"q{number}"] |= {f"gone{number}": 1} | ({f"lost{number}": 2} if number < 3 else {})
    return dataset


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for form, place in PLACES.items():
        find_format(form).save(made(), Path(place))
    return tmp_path


def results(done):
    assert done.code == 0, done.err
    return json.loads(done.out)["results"]


def evaluated(assay, place, *flags, provider="bm25"):
    """The result of a provider, and its ranking in run.trec."""
    words = ("--benchmarks", place, "--providers", provider, *METRICS, "--no-store", "-q", "-f", "json", "-o", "run.trec")
    return results(assay("eval", *words, *flags))[0]


def scored(assay, place, *flags, run="run.trec"):
    return results(assay("score", "--dataset", place, run, *METRICS, "-f", "json", *flags))[0]


def figures(result):
    return {name: result["summary"][name] for name in METRICS[1:]}


@pytest.mark.parametrize("place", PLACES.values())
@pytest.mark.parametrize("rule", ["keep", "drop"])
def test_eval_and_score_give_the_same_figure_and_both_tell_how_many(assay, place, rule):
    flags = ("--missing-documents", rule)
    asked, replayed, again = (
        evaluated(assay, place, *flags),
        evaluated(assay, place, *flags, provider="replay:run.trec"),
        scored(assay, place, *flags),
    )
    assert figures(asked) == figures(replayed) == figures(again)
    assert figures(asked)["recall@10"] == (1 if rule == "drop" else pytest.approx((41 + 6 / 2 + 3 / 3) / 50))
    for result in (asked, replayed, again):
        assert (result["counts"]["judged"], result["counts"]["missing"], result["counts"]["extra"]) == (50, 0, 0)
        told = {name: result["relevance"].get(name) for name in COUNTED}
        assert told == {**COUNTED, "missing_documents": "drop" if rule == "drop" else None}
    about_depth = "the run has at most 2 documents per query"
    assert asked["notes"] == [note for note in again["notes"] if not note.startswith(about_depth)]


COUNTED = {
    "queries_without_text": N_JUDGED - N_WITH_TEXT,
    "relevant_documents_missing": 12,
    "queries_with_missing": 9,
    "missing_documents": None,
}


def test_a_run_may_have_rankings_of_the_queries_that_are_left_out(assay):
    """They are neither scored nor counted as queries without judgments, even where those are an error."""
    Path("all.run").write_text("".join(f"q{number} Q0 d{number % 60} 1 1 t\n" for number in range(N_JUDGED)))
    Path("all.json").write_text(json.dumps({f"q{n}": [{"id": f"d{n % 60}", "text": "x"}] for n in range(N_JUDGED)}))
    for run in ("all.run", "all.json"):
        result = scored(assay, "beir", "--extra", "error", run=run)
        assert (result["counts"]["judged"], result["counts"]["extra"], result["summary"]["recall@10"]) == (50, 0, 0.9)


def test_what_is_said(assay, transcript):
    Path("first.run").write_text("".join(f"q{number} Q0 d{number} 1 1 t\n" for number in range(N_WITH_TEXT)))
    Path("other.run").write_text("".join(f"q{number} Q0 d{number + 1} 1 1 t\n" for number in range(N_WITH_TEXT)))
    (Path("trec") / "topics.tsv").write_text("")
    transcript("score/completeness")
    fused = assay("fuse", "first.run", "other.run", "--dataset", "beir", "--tune", "-m", "ndcg@10")
    assert fused.code == 0
    assert "note: 652 judged queries have no text and are left out (q50 q51 q52 q53 q54 …)." in fused.err


def test_other_commands_score_the_same_queries(assay):
    evaluated(assay, "beir")
    Path("other.run").write_text("".join(f"q{number} Q0 d{number + 1} 1 1 t\n" for number in range(N_WITH_TEXT)))
    compared = assay("compare", "--dataset", "beir", "run.trec", "other.run", "-m", "recall@10", "-f", "json")
    (comparison,) = json.loads(compared.out)["comparisons"]
    assert (compared.code, comparison["n_queries"]) == (0, N_WITH_TEXT)
    assert comparison["summary"] == {"run": {"recall@10": 0.9}, "other": {"recall@10": 0.0}}
    gate = ("gate", "--dataset", "beir", "run.trec", "--rule", "recall@10 >= 0.9")
    assert [assay(*gate).code, assay(*gate[:-1], "recall@10 >= 0.91").code] == [0, 1]
    assert assay(*gate[:-1], "recall@10 >= 0.91", "--missing-documents", "drop").code == 0


def test_a_plan_and_python(assay):
    Path("plan.yaml").write_text(
        "benchmarks: [beir]\nproviders: [bm25]\nmetrics: [recall@10]\nmissing_documents: drop\nstrict: false\n"
    )
    assert results(assay("eval", "plan.yaml", "--no-store", "-q", "-f", "json"))[0]["summary"]["recall@10"] == 1
    assert "beir (50 queries)" in assay("plan", "check", "plan.yaml").out
    kept = results(assay("eval", "plan.yaml", "--no-store", "-q", "-f", "json", "--missing-documents", "keep"))[0]
    assert kept["summary"]["recall@10"] == 0.9
    Path("plan.yaml").write_text("benchmarks: [beir]\nproviders: [bm25]\nmissing_documents: remove\n")
    assert "missing_documents must be keep or drop, not 'remove'" in assay("plan", "check", "plan.yaml").err
    for rule, recall in (("keep", 0.9), ("drop", 1.0)):
        done = library.run(made(), "bm25", ["recall@10"], missing_documents=rule)
        again = library.evaluate(made(), done.run, ["recall@10"], relevance=Relevance(missing_documents=rule))
        assert (done["recall@10"], again["recall@10"]) == (recall, recall)
        assert done.relevance["queries_without_text"] == again.relevance["queries_without_text"] == 652
    with pytest.raises(library.BadParameter, match="keep, drop"):
        Relevance(missing_documents="remove")


def test_a_change_of_the_rule_is_another_evaluation(assay):
    words = ("eval", "--benchmarks", "beir", "--providers", "bm25", "-m", "map", "--no-store", "-q")
    assert assay(*words, "--missing-documents", "drop", "--limit", "5").code == 0
    Path("p.yaml").write_text("benchmarks: [beir]\nproviders: [bm25]\nmetrics: [map]\n")
    assert assay("eval", "p.yaml", "--no-store", "-q").code == 0
    changed = assay("eval", "p.yaml", "--no-store", "-q", "--resume", "--missing-documents", "drop")
    assert (changed.code, "missing_documents was not set and is now drop" in changed.err) == (2, True)


def test_queries_without_text_are_kept_if_no_query_has_one(assay):
    Path("qrels.txt").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    Path("run.txt").write_text("q1 Q0 d1 1 1 t\n")
    bare = BenchmarkDataset("bare", queries={"q1": Query("q1")}, qrels={"q1": {"d1": 1}, "q2": {"d2": 1}})
    bare.save_json("bare.json")
    for place in ("qrels.txt", "bare.json"):
        again = scored(assay, place, run="run.txt")
        assert (again["counts"]["judged"], again["summary"]["map"]) == (2, 0.5), place
        words = ("--benchmarks", place, "--providers", "replay:run.txt", "-m", "map", "--no-store", "-q", "-f", "json")
        (replayed,) = results(assay("eval", *words))
        assert (replayed["counts"]["judged"], replayed["summary"]["map"]) == (2, 0.5), place
        assert not any("text" in note for note in replayed["notes"])


def test_a_provider_that_needs_texts_is_told_that_there_are_none():
    dataset = made()
    dataset.queries = {key: Query(key) for key in dataset.queries}
    for provider, is_told in {"bm25": True, "random_order": False, "oracle": False, "hybrid(bm25, oracle)": True}.items():
        notes = library.run(dataset, provider, ["map"]).notes
        assert any("none of the 702 queries has a text" in note for note in notes) is is_told, provider


def test_missing_documents_have_a_meaning_only_where_judged_ids_are_ids_of_documents(assay):
    dataset = made()
    run = {"q0": {"d0": 1.0}}
    with_answers = {key: replace(query, expected=query.text) for key, query in dataset.queries.items()}

    def told(rule="drop", by=None, **changes):
        for name, value in changes.items():
            setattr(dataset, name, value)
        relevance = by or Relevance(missing_documents=rule)
        return [note for note in library.evaluate(dataset, run, ["map"], relevance=relevance).notes if "docum" in note]

    assert ["12 relevant documents of 9 queries" in note for note in told()] == [True]
    (note,) = told(by=Relevance("token", missing_documents="drop"), queries=with_answers)
    assert note == "missing_documents=drop has no effect, because relevance is not decided by the ids of documents."
    assert told(by=Relevance("token")) == []
    (note,) = told(documents={})
    assert note == "missing_documents=drop has no effect, because the benchmark has no documents."
    assert told("keep") == []
    strange = {"x1": Document("x1", "other")}
    (note,) = told("keep", documents=strange)
    assert note.startswith("none of the judged documents is among the documents: the judgments have ids like 'd0'")
    note, *_ = told(documents=strange)
    assert "so all judgments of relevant documents are removed: the judgments have ids like" in note
    refused = assay("score", "trec/qrels.txt", "r.run", "--missing-documents", "drop")
    assert (refused.code, "--missing-documents needs --dataset" in refused.err) == (2, True)


def write_chunks(place="chunks.run"):
    """The run of a system that returns two chunks of the right document for each query."""
    lines = [f"q{n} Q0 d{n}#{chunk} {chunk} {-chunk} t\n" for n in range(N_WITH_TEXT) for chunk in (1, 2)]
    Path(place).write_text("".join(lines))
    return place


@pytest.mark.parametrize("unit", ["document", "chunk"])
def test_documents_are_missing_if_chunks_are_retrieved_too(assay, unit):
    """Judged ids are ids of documents, and the corpus has documents."""
    run = write_chunks()
    for rule, recall in (("keep", 0.9), ("drop", 1.0)):
        flags = ("--unit", unit, "--missing-documents", rule)
        for result in (scored(assay, "beir", *flags, run=run), evaluated(assay, "beir", *flags, provider=f"replay:{run}")):
            assert (result["summary"]["recall@10"], result["relevance"]["relevant_documents_missing"]) == (recall, 12)
            assert not any("has no effect" in note for note in result["notes"])


def test_documents_that_were_cut_into_chunks_are_not_missing(assay):
    """Neither if a chunker cut them, nor if the corpus itself has chunks."""
    for rule, recall in (("keep", 0.9), ("drop", 1.0)):
        flags = ("--missing-documents", rule)
        result = evaluated(assay, "beir", "--chunkers", "sentence", *flags)
        assert (result["summary"]["recall@10"], result["relevance"]["relevant_documents_missing"]) == (recall, 12)
    dataset = made()
    owners = {f"{doc}/part": doc for doc in dataset.documents}
    dataset.documents = {chunk: Document(chunk, dataset.documents[doc].text) for chunk, doc in owners.items()}
    ranked = {f"q{n}": {f"d{n}/part": 1.0} for n in range(N_WITH_TEXT)}
    for unit in ("document", "chunk"):
        relevance = Relevance(unit=unit, id_map=owners, missing_documents="drop")
        result = library.evaluate(dataset, ranked, ["recall@10"], relevance=relevance)
        assert (result["recall@10"], result.relevance["relevant_documents_missing"]) == (1, 12)


def test_documents_are_missing_from_a_benchmark_with_spans_if_ids_decide(assay):
    """HotpotQA in the fullwiki setting: gold paragraphs that the file does not have."""
    titles = {0: ("a", "b"), 1: ("a", "gone"), 2: ("b", "lost")}
    questions = [
        {
            "_id": f"q{n}",
            "question": f"What is {n}?",
            "supporting_facts": [[title, 0] for title in facts],
            "context": [["a", ["A is first."]], ["b", ["B is second."]]],
        }
        for n, facts in titles.items()
    ]
    Path("fullwiki.json").write_text(json.dumps(questions))
    Path("wiki.run").write_text("".join(f"q{n} Q0 {doc} 1 1 t\n" for n in titles for doc in ("a", "b")))
    for rule, recall in (("keep", pytest.approx(2 / 3)), ("drop", 1.0)):
        flags = ("--missing-documents", rule)
        for result in (
            scored(assay, "fullwiki.json", *flags, run="wiki.run"),
            evaluated(assay, "fullwiki.json", *flags, provider="replay:wiki.run"),
        ):
            assert result["summary"]["recall@10"] == recall
            assert (result["relevance"]["relevant_documents_missing"], result["relevance"]["queries_with_missing"]) == (2, 2)


def columns(result):
    return [name for name in result.summary if name.startswith("judged")]


def test_judged_is_left_out_where_it_cannot_be_other_than_1(assay):
    documents = {f"d{number}": Document(f"d{number}", f"word{number}") for number in range(3)}
    texts = {f"q{number}": f"word{number}" for number in range(3)}
    all_judged = {key: {doc: float(doc[1:] == key[1:]) for doc in documents} for key in texts}

    def benchmark(qrels=None, documents=documents, **fields):
        queries = {key: Query(key, text, **fields) for key, text in texts.items()}
        return BenchmarkDataset("b", queries=queries, documents=dict(documents), qrels=qrels or {})

    def shown(dataset, place="b.json", run=None):
        """Whether the tables of eval and of score have judged@10."""
        dataset.save_json(place)
        asked = assay("eval", "--benchmarks", place, "--providers", "bm25", "-m", "map", "--no-store", "-q", "-o", "a.trec")
        again = assay("score", "--dataset", place, run or "a.trec", "-m", "map")
        assert (asked.code, again.code) == (0, 0)
        return "judged@10" in asked.out, "judged@10" in again.out

    some = {key: dict(list(judged.items())[:2]) for key, judged in all_judged.items()}
    groups = {doc: Document(doc, document.text, group=doc) for doc, document in documents.items()}
    in_groups = BenchmarkDataset(
        "g", queries={f"q{n}": Query(f"q{n}", f"word{n}", scope=f"d{n}") for n in range(3)}, documents=groups
    )
    in_groups.qrels = {f"q{number}": {f"d{number}": 1} for number in range(3)}
    assert shown(benchmark(all_judged)) == (False, False)
    assert shown(benchmark(some)) == (True, True)
    assert shown(benchmark(expected="word1")) == (False, False)
    assert shown(benchmark(evidence=["d1"])) == (False, False)
    assert shown(in_groups) == (False, False)
    Path("outside.run").write_text("q0 Q0 elsewhere 1 1 t\n")
    assert shown(benchmark(all_judged), run="outside.run") == (False, True)
    asked = assay("eval", "--benchmarks", "b.json", "--providers", "bm25", "-m", "map", "judged@10", "--no-store", "-q")
    again = assay("score", "--dataset", "b.json", "a.trec", "-m", "map", "judged@10")
    assert ("judged@10" in asked.out, "judged@10" in again.out) == (True, True)


def test_an_empty_corpus_is_an_error_in_check_and_a_note_in_results(assay):
    evaluated(assay, "beir")
    for place, name in (("beir", "corpus.jsonl"), ("trec", "docs.jsonl")):
        (Path(place) / name).write_bytes(b"")
        checked = assay("datasets", "check", place, "-f", "json")
        found = {finding["code"]: finding for finding in json.loads(checked.out)["findings"]}
        assert (checked.code, found["empty-corpus"]["severity"]) == (3, "error")
        assert found["empty-corpus"]["message"] == f"{name} has no documents"
        for result in (scored(assay, place), evaluated(assay, place, provider="replay:run.trec")):
            assert f"{name} has no documents." in result["notes"]
        refused = assay("eval", "--benchmarks", place, "--providers", "bm25", "-m", "map", "--no-store", "-q")
        assert (refused.code, "has no documents" in refused.err) == (3, True)
