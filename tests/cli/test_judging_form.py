"""assay pool --form and assay judgments import --pool: pairs go to a spreadsheet, and grades come back."""

import csv
import io
import json
from pathlib import Path

import pytest

import assay as library
from assay.errors import DataError
from assay.files import read_judgment_file
from assay.judging import filled_form, judging_form, pool_from_lines
from assay.model import Document
from assay.store import Store, digest_of_text

DOCUMENTS = {
    "007": Document("007", '=HYPERLINK("x") cats sleep\nall day', title="Cats, who sleep"),
    "2026-01-02": Document("2026-01-02", "dogs swim"),
    "=d3": Document("=d3", "cats and dogs sing"),
    "d4": Document("d4", "birds sing; ünï"),
}
QUERIES = {"1e5": "cats sleep", "q2": "dogs swim", "q3": "=1+1 birds sing"}
HIDDEN = ("bm25", "random_order", "probability", "rank", "0.")


@pytest.fixture
def data(folder, assay):
    """A store with two systems on queries without judgments, and a pool of all pairs but some."""
    queries = [{"query_id": query, "query": text} for query, text in QUERIES.items()]
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)))
    rows = [{"doc_id": name, "title": known.title, "text": known.text} for name, known in DOCUMENTS.items()]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    flags = ("--documents", "corpus.jsonl", "--providers", "bm25", "random_order", "--metrics", "precision@2")
    assert assay("eval", "--queries", "queries.jsonl", *flags, "-q").code == 0
    return folder


DRAW = ("pool", "latest", "--depth", 2, "--pairs", 7, "-o", "pool.jsonl")


def drawn_pool():
    return pool_from_lines(Path("pool.jsonl").read_bytes().splitlines())


def rows_of(name):
    return list(csv.DictReader(io.StringIO(Path(name).read_text(encoding="utf-8-sig"))))


def fill(name, grades, **changes):
    """Write a filled form: grades in the order of the form, as a spreadsheet saves them."""
    rows = [{**row, "grade": grade, **changes} for row, grade in zip(rows_of("pool.csv"), grades, strict=False)]
    with Path(name).open("w", encoding="utf-8-sig", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]), delimiter=";")
        table.writeheader()
        table.writerows(rows)


def given():
    with Store.open() as store:
        return {(one.query, one.document): one for one in store.judgments.find(kind="people")}


def test_a_form_has_the_texts_in_the_order_of_judging_and_nothing_that_biases(data, assay):
    done = assay(*DRAW, "--form", "pool.csv", "--documents", "corpus.jsonl", "-f", "json")
    assert (done.code, json.loads(done.out)["pool"]["form"]) == (0, "pool.csv")
    rows, drawn = rows_of("pool.csv"), drawn_pool()
    assert [(row["query"].lstrip("'"), row["document"].lstrip("'")) for row in rows] == [p[:2] for p in drawn.drawn]
    shown = {row["document"].lstrip("'"): row for row in rows}
    assert set(shown) == set(DOCUMENTS)
    assert shown["007"]["document_text"] == 'Cats, who sleep\n=HYPERLINK("x") cats sleep\nall day'
    assert shown["=d3"]["document"] == "'=d3"
    assert {row["query_text"] for row in rows} == {"cats sleep", "dogs swim", "'=1+1 birds sing"}
    assert {row["grade"] + row["reason"] for row in rows} == {""}
    assert all(row["text_digest"] == digest_of_text(DOCUMENTS[name].content) for name, row in shown.items())
    text = Path("pool.csv").read_text(encoding="utf-8-sig")
    assert [word for word in HIDDEN if word in text.lower()] == []
    again = ("--form", "again.csv", "--dataset", "queries.jsonl", "--documents", "corpus.jsonl")
    assert assay(*DRAW, *again).code == 0
    assert Path("again.csv").read_bytes() == Path("pool.csv").read_bytes()


def test_grades_come_back_with_pool_probability_and_text(data, assay):
    assay(*DRAW, "--form", "pool.csv", "--documents", "corpus.jsonl")
    drawn = drawn_pool()
    fill("ana.csv", ["3", "", "0", "2 - good", "maybe"], query="1", document="7-Jan", reason="because")
    dry = assay("judgments", "import", "ana.csv", "--pool", "pool.jsonl", "--judge", "Ana", "--dry-run")
    assert (dry.code, given()) == (0, {})
    done = assay("judgments", "import", "ana.csv", "--pool", "pool.jsonl", "--judge", "Ana")
    assert "3 judgments stored as people on queries by Ana, read as table: 3 new" in done.out
    assert "4 of 7 drawn pairs have no grade in the file yet." in done.err
    assert "1 of these comes before graded pairs." in done.err
    assert "'maybe' is not a grade" in done.err
    first, _, third, fourth, *_ = drawn.drawn
    assert {pair: one.grade for pair, one in given().items()} == {first[:2]: 3, third[:2]: 0, fourth[:2]: 2}
    stored = given()[first[:2]]
    assert (stored.pool, stored.probability, stored.reason) == (drawn.id, first.probability, "because")
    assert stored.text_digest == digest_of_text(DOCUMENTS[first.document].content)
    compared = assay("compare", "latest", "--judgments", "people", "-f", "json")
    assert "is an estimate from 2 grades by people" in compared.out
    assert "the grades for 1 drawn pair do not count yet, because they were not given in the order" in compared.err
    assert (
        "0 new, 0 changed, 3 already stored"
        in assay("judgments", "import", "ana.csv", "--pool", "pool.jsonl", "--judge", "Ana").out
    )


def test_a_pool_is_added_to_grades_that_were_stored_without_one(data, assay):
    assay(*DRAW, "--form", "pool.csv", "--documents", "corpus.jsonl")
    drawn = drawn_pool()
    Path("plain.csv").write_text(f"query,document,grade\n{drawn.drawn[0].query},{drawn.drawn[0].document},1\nq2,x,2\n")
    assert assay("judgments", "import", "plain.csv", "--judge", "Ana").code == 0
    assert {one.pool for one in given().values()} == {""}
    done = assay("judgments", "import", "plain.csv", "--judge", "Ana", "--pool", "pool.jsonl")
    assert "1 judgment stored as people on queries by Ana, read as table: 0 new, 1 changed" in done.out
    assert "1 pair was not drawn and is left out (plain.csv:3: q2 x)." in done.err
    assert {one.pool for one in given().values() if one.grade == 1} == {drawn.id}


def test_changed_texts_and_forms_of_another_pool(data, assay):
    assay(*DRAW, "--form", "pool.csv", "--documents", "corpus.jsonl")
    fill("ana.csv", ["1"] * 7)
    rows = [{"doc_id": name, "text": known.text} for name, known in DOCUMENTS.items()]
    Path("corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    flags = ("import", "ana.csv", "--pool", "pool.jsonl", "--judge", "Ana")
    done = assay("judgments", *flags, "--documents", "corpus.jsonl")
    assert "1 document has another text now than in the form (007). The grades belong to its old text." in done.err
    assert assay(*DRAW[:-1], "other.jsonl", "--seed", 2).code == 0
    other = assay("judgments", "import", "ana.csv", "--pool", "other.jsonl", "--judge", "Ana")
    assert (other.code, "none of the 7 graded pairs was drawn for the pool" in other.err) == (3, True)


def test_what_is_refused(data, transcript):
    transcript("pool/form_refused")
    assert not Path("pool.csv").exists()


def test_python():
    queries = [{"query_id": query, "query": text} for query, text in QUERIES.items()]
    systems = {name: library.run(queries, name, documents=DOCUMENTS).run for name in ("bm25", "random_order")}
    drawn = library.pool(systems, pairs=6, depth=2)
    form = judging_form(drawn, QUERIES, DOCUMENTS)
    table = list(csv.DictReader(io.StringIO(form)))
    assert len(table) == len(drawn.drawn)
    with pytest.raises(DataError, match="document 007 has none"):
        judging_form(drawn, QUERIES, {**DOCUMENTS, "007": ""})
    long = {**DOCUMENTS, "007": "x" * 40_000}
    assert (
        max(map(len, form.splitlines())) < 30_000 < max(map(len, judging_form(drawn, QUERIES, long).splitlines())) < 31_000
    )


def test_python_reads_what_people_filled_in(tmp_path):
    result = library.run([{"query_id": q, "query": text} for q, text in QUERIES.items()], "bm25", documents=DOCUMENTS)
    drawn = library.pool([result], pairs=6, depth=2)
    rows = list(csv.reader(io.StringIO(judging_form(drawn, QUERIES, DOCUMENTS))))
    place = rows[0].index("grade")
    for row in rows[1:]:
        row[place] = "2"
    with (tmp_path / "ana.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    form = filled_form(drawn, read_judgment_file(tmp_path / "ana.csv"), DOCUMENTS)
    assert (form.n_open, form.n_skipped, form.outside, form.changed, form.sentences()) == (0, 0, (), (), [])
    layer = library.Corrected(form.judgments("Ana"), pool=drawn)
    assert layer.estimate(result, ["precision@2"])["precision@2"] > 0
