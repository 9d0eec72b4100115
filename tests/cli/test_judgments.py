"""assay judgments: what people gave, as a list, as qrels, and how far judges agree."""

import csv
import json
from pathlib import Path

import pytest

from assay import Qrels, load_dataset, run
from assay.evaluation import rejudge
from assay.store import Judgment, QueryNote, Store, Undecided, combined

from ._stored import result_of

GRADES = (("Ana", "d4", 2), ("Ben", "d4", 1), ("Ana", "d5", 0), ("Ben", "d5", 0), ("Ana", "d6", 3))


@pytest.fixture
def judged(folder):
    with Store.open() as store:
        store.save([result_of(1), result_of(2, benchmark="other")])
        for judge, document, grade in GRADES:
            note = "so\x1b it is" if grade == 3 else ""
            store.judgments.give(Judgment("small", "q0", document, judge, grade, note, "2026-11-15T09:30:00+00:00"))


def give(*judgments):
    with Store.open() as store:
        for judgment in judgments:
            store.judgments.give(judgment)


@pytest.mark.usefixtures("judged")
def test_lists_agreement_and_what_is_refused(transcript):
    transcript("judgments/shown")
    assert Path("qrels.txt").read_text() == "q0 0 d4 1\nq0 0 d5 0\nq0 0 d6 3\n"
    assert dict(Qrels(Path("qrels.txt"))) == {"q0": {"d4": 1.0, "d5": 0.0, "d6": 3.0}}
    assert Path("ana.txt").read_text().splitlines()[0] == "q0 0 d4 2"


@pytest.mark.usefixtures("judged")
def test_one_grade_is_withdrawn_and_a_pair_on_several_benchmarks_needs_its_name(transcript):
    give(Judgment("other", "q0", "d4", "Ana", 1))
    transcript("judgments/withdrawn")
    with Store.open() as store:
        found = [(one.judge, one.document) for one in store.judgments.find() if one.benchmark == "small"]
    assert sorted(found) == [("Ana", "d5"), ("Ana", "d6"), ("Ben", "d4"), ("Ben", "d5")]


@pytest.mark.usefixtures("judged")
def test_what_trec_cannot_hold_is_named_and_the_rest_written(transcript):
    give(
        Judgment("small", "q0", "d 7", "Ana", 1),
        Judgment("small", "q0", "d 7", "Ben", 1),
        Judgment("other", "q 1", "d1", "Ana", 1),
    )
    with Store.open() as store:
        store.judgments.take_over([Judgment("small", "q0", "d8", "Ana", float("inf"), "", "2026-11-15T09:30:00+00:00")])
    transcript("judgments/trec")
    assert Path("x.txt").read_text() == "q0 0 d4 1\nq0 0 d5 0\nq0 0 d6 3\n"
    assert not Path("y.txt").exists()


@pytest.mark.usefixtures("judged")
def test_three_judges_have_an_alpha(transcript):
    give(*(Judgment("small", "q0", document, "Cleo", grade) for document, grade in (("d4", 2), ("d5", 0), ("d6", 1))))
    transcript("judgments/three_judges")


@pytest.mark.usefixtures("judged")
def test_disagreements_are_listed_and_settled_ones_can_be_opened_again(transcript):
    """The settled grade counts in what is exported, and the judge's own grade stays when it is withdrawn."""
    give(Judgment("small", "q0", "d4", "Ana", 0, "both read it", "2026-11-15T10:00:00+00:00", is_settled=True))
    with Store.open() as store:
        store.judgments.leave_undecided(Undecided("small", "q1", "d4", "Ana", "no text", "2026-11-15T10:00:00+00:00"))
    transcript("judgments/settled")
    assert Path("settled.txt").read_text() == "q0 0 d4 0\nq0 0 d5 0\nq0 0 d6 3\n"
    assert Path("open.txt").read_text() == "q0 0 d4 1\nq0 0 d5 0\nq0 0 d6 3\n"


@pytest.fixture
def stored(folder):
    """A result on a bundled benchmark with two grades, and one on data that are not here."""
    with Store.open() as store:
        result = run("rag-template", "bm25", metrics=["ndcg@10", "mrr"])
        store.save([result, result_of(1)])
        relevant = next(iter(result.relevant["q01"]))
        unjudged = next(doc for doc in result.run["q02"] if doc not in load_dataset("rag-template").qrels["q02"])
        when = "2026-11-15T09:30:00+00:00"
        for benchmark, query, document, grade in (
            ("rag-template", "q01", relevant, 0),
            ("rag-template", "q02", unjudged, 2),
            ("small", "q0", "d4", 2),
        ):
            store.judgments.give(Judgment(benchmark, query, document, "Ana", grade, "", when))
        store.query_notes.add(QueryNote("rag-template", "q01", "two meanings", "Ana", "note", when))
        store.query_notes.add(QueryNote("rag-template", "q02", "hard", "Ben", "tag", when))


@pytest.mark.usefixtures("stored")
def test_disagreements_have_the_text_of_the_query_where_it_is_known(assay):
    """Texts are those of the bundled benchmark. Without any text, there is no column."""
    text = load_dataset("rag-template").queries["q02"].text
    with Store.open() as store:
        (q02,) = store.judgments.find("rag-template", "q02")
        store.judgments.give_all([q02._replace(judge="Ben", grade=0)])
        store.judgments.give_all(Judgment("small", "unknown", "d4", judge, len(judge)) for judge in ("Ana", "Benno"))
    shown = assay("judgments", "disagreements")
    assert text[:40] in shown.out
    rows = list(csv.DictReader(assay("judgments", "disagreements", "-f", "csv").out.splitlines()))
    assert [(row["query"], row["text"]) for row in rows] == [("q02", text), ("unknown", "")]
    plain = json.loads(assay("judgments", "disagreements", "-f", "json").out)["disagreements"]
    assert [pair.get("query_text") for pair in plain] == [text, None]
    assert "text" not in assay("judgments", "disagreements", "--benchmark", "small").out.splitlines()[0].split()


@pytest.mark.usefixtures("stored")
def test_merged_judgments_and_the_next_version(transcript):
    """What is evaluated with the next version are the figures with the grades."""
    transcript("judgments/merged")
    with Store.open() as store:
        result = next(one for one in store.latest().results if one.benchmark == "rag-template")
        effect = rejudge(result, combined(store.judgments.find("rag-template")), load_dataset("rag-template").qrels)
    fresh = run("next.json", "bm25", metrics=["ndcg@10", "mrr"])
    assert effect.n_new == 2
    assert fresh.summary["ndcg@10"] == pytest.approx(effect.result.summary["ndcg@10"], abs=1e-12)
    assert dict(Qrels(Path("merged.txt"))) == load_dataset("next.json").qrels
