"""assay judgments probe: what it sends and shows, where outcomes are kept, and what calibrate says about them."""

import json
import sys
from pathlib import Path

import pytest
from tests.judges._probed import Grading, Obedient
from tests.judges._stub import KEY

import assay as library
from assay.store import Judgment, Store, digest_of_text

from ._stored import result_of

WHEN = "2026-11-15T09:30:00+00:00"


@pytest.fixture
def graded(folder, monkeypatch):
    """Ana has graded the first four documents of each query as the benchmark does."""
    monkeypatch.setenv("STUB_KEY", KEY)
    monkeypatch.syspath_prepend(str(folder))
    result = library.run("rag-template", "bm25", metrics=["precision@10"])
    qrels = library.load_dataset("rag-template").qrels
    pairs = [(query, doc) for query in result.query_ids for doc in list(result.run[query])[:4]]
    with Store.open() as store:
        store.save([result])
        store.judgments.give_all(
            Judgment("rag-template", query, doc, "Ana", qrels[query].get(doc, 0), judged=WHEN, kind="people")
            for query, doc in pairs
        )
    yield
    sys.modules.pop("mine", None)


@pytest.mark.usefixtures("graded")
def test_shown_and_refused(transcript):
    transcript("judgments/probes")


def written() -> bytes:
    return b"".join(file.read_bytes() for file in Path().rglob("*") if file.is_file())


@pytest.mark.usefixtures("graded")
def test_nothing_is_sent_without_send_and_outcomes_are_not_grades(assay):
    with Obedient() as stub:
        judge = ("--with", f"openai(model=m, url={stub.url}, key=${{STUB_KEY}})", "--benchmark", "rag-template")
        words = ("judgments", "probe", *judge, "--pairs", 12)
        for flags in ((), ("--dry-run",), ("-f", "json")):
            shown = assay(*words, *flags, "--price", 1, 2)
            assert (shown.code, stub.n_requests) == (0, 0)
            assert f"{stub.url}/chat/completions" in shown.out
        assert not Path(".assay/probes").exists()
        plan = json.loads(shown.out)
        done = assay(*words, "--send", "-f", "json", "-q")
        content = json.loads(done.out)
        assert plan["dry_run"]["requests"] == stub.n_requests == content["ledger"]["requests"]
        assert assay(*words, "--send", "-q").code == 0
        assert stub.n_requests == plan["dry_run"]["requests"], "a second run sends nothing"
        with Store.open() as store:
            assert store.judgments.find(kind="model") == []
        before = {(one["query"], one["document"]): one["before"] for one in content["outcomes"]}
        rows = [{"query": query, "document": doc} for query, doc in before]
        Path("pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        send = ("judge", "pool.jsonl", *judge, "--dataset", "rag-template", "--send", "-q")
        assert assay(*send, "-f", "json").code == 0
        assert stub.n_requests == plan["dry_run"]["requests"], "unchanged pairs are in the cache of the judge"
        with Store.open() as store:
            stored = {(one.query, one.document): one.grade for one in store.judgments.find(kind="model")}
        assert stored == before
        name = content["judge"]
        shown = json.loads(assay("judgments", "calibrate", "--judge", name, "-f", "json").out)
        assert shown["probes"] == content["figures"]
        injected = next(row for row in shown["probes"] if row["probe"] == "injected")
        assert (injected["n_raised"], injected["n_to_relevant"], injected["is_found"]) == (12, 12, True)
        text = assay("judgments", "calibrate", "--judge", name).out
        assert "Injected instructions raised 12 of 12 grades" in text
        Path("elsewhere.json").write_text(done.out)
        for file in Path(".assay/probes").glob("*.json"):
            file.unlink()
        assert "assay judgments probe --with" in assay("judgments", "calibrate", "--judge", name).out
        assert "Injected instructions raised" in assay("judgments", "calibrate", "elsewhere.json", "--judge", name).out
        assert stub.keys == {f"Bearer {KEY}"}
    assert KEY.encode() not in written() + done.out.encode() + done.err.encode() + text.encode()


@pytest.mark.usefixtures("graded")
def test_a_pool_with_texts_needs_no_store_and_drift_no_first_day(assay):
    data = library.load_dataset("rag-template")
    rows = [
        {
            "query": query,
            "query_text": data.queries[query].text,
            "document": doc,
            "document_text": data.documents[doc].content,
        }
        for query, docs in list(data.qrels.items())[:12]
        for doc in docs
    ]
    Path("own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with Grading() as stub:
        judge = ("--with", f"openai(model=m, url={stub.url})")
        words = ("judgments", "probe", "own.jsonl", *judge, "--store", "none.db", "--pairs", 5, "-q")
        assert assay(*words, "--send").code == 5
        assert assay(*words, "--send", "--drift").code == 5
        assert stub.n_requests == 0
        assert assay("judge", "own.jsonl", *judge, "--send", "--no-store", "-o", "grades.jsonl", "-q").code == 0
        n = stub.n_requests
        assert assay(*words, "--send").code == 0
        assert n < stub.n_requests
        n = stub.n_requests
        done = assay(*words, "--send", "--drift")
        assert (done.code, stub.n_requests - n) == (0, 5)
        assert "not shown to have changed" in done.out
        assert "the first grades are from today" in done.err


@pytest.mark.usefixtures("graded")
def test_pairs_whose_text_has_changed_are_left_out(assay):
    with Store.open() as store:
        known = store.judgments.find(kind="people")[0]
        digest = "0" * 64
        store.judgments.give(
            Judgment("rag-template", known.query, known.document, "Ana", 1, kind="people", text_digest=digest)
        )
        store.judgments.give(Judgment("rag-template", "q01", "gone", "Ana", 1, kind="people"))
    shown = assay("judgments", "probe", "--with", "openai(model=m, url=http://127.0.0.1:9/v1)", "--pairs", 2)
    assert "pairs that have no text are left out: 1" in shown.err
    assert "pairs that were graded by people with another text are left out: 1" in shown.err


def test_a_pair_is_usable_if_people_saw_the_beginning_of_a_long_document(folder, assay):
    """The queue shows the first 20,000 characters."""
    text = "word " * 5000
    rows = [{"schema": "assay.pool/1", "id": "p1", "benchmark": "small", "systems": ["bm25"]}]
    rows += [{"query": "q", "query_text": "word", "document": name, "document_text": text + name} for name in ("a b", "c")]
    Path("pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with Store.open() as store:
        store.save([result_of(1, benchmark="small")])
        for document, seen in (("a b", text[:20_000]), ("c", "another")):
            digest = digest_of_text(seen)
            store.judgments.give(Judgment("small", "q", document, "Ana", 1, kind="people", text_digest=digest))
    shown = assay("judgments", "probe", "pool.jsonl", "--with", "openai(model=m, url=http://127.0.0.1:9/v1)", "--pairs", 2)
    assert "another text are left out: 1" in shown.err
