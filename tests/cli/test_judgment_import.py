"""assay judgments import: the shapes of judgment files, what is stored, and what is left out and said."""

import json
import re
from pathlib import Path

import pytest

import assay as library
from assay.errors import BadParameter, DataError
from assay.files import JUDGMENT_SHAPES, read_judgment_file
from assay.store import Store

QUERIES = {"q1": "red shoes", "q2": "blue hat"}
TREC = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d3 1\n"
TABLE = "query_id,doc_id,rating,annotator,judged_at,comment\nq1,d1,2,Ana,2026-01-05T10:00:00+00:00,fits\nq2,d3,1,Ben,,\n"
BASIC = "query,docid,rating\nred shoes,d1,3\nBlue  Hat,d3,\n"
QUEPID = "query,docid,Ana,Ben\nred shoes,d1,3,2\nblue hat,d3,,1\n"
OPENSEARCH = {
    "name": "ours",
    "type": "IMPORT_JUDGMENT",
    "judgmentRatings": [
        {"query": "red shoes", "ratings": [{"docId": "d1", "rating": "3.000"}, {"docId": "d2", "rating": "0.000"}]},
        {"query": "blue hat", "ratings": [{"docId": "d3", "rating": "high"}]},
    ],
}
LABEL_STUDIO = [
    {
        "id": 7,
        "data": {"query_id": "q1", "doc_id": "d1", "text": "shoes"},
        "annotations": [
            {
                "completed_by": 4,
                "updated_at": "2026-02-01T08:00:00Z",
                "result": [{"type": "choices", "value": {"choices": ["2 - relevant"]}}],
            },
            {"completed_by": {"id": 5, "email": "ben@example.org"}, "result": [{"value": {"rating": 1}}]},
            {"completed_by": 6, "was_cancelled": True, "result": []},
            {"completed_by": {"email": "cy@example.org"}, "result": [{"value": {"rating": 0}}]},
            {"completed_by": "dee@example.org", "result": [{"value": {"number": 3}}]},
        ],
    },
    {
        "id": 8,
        "data": {"query_id": "q2", "doc_id": "d3"},
        "annotations": [{"completed_by": 4, "result": [{"value": {"choices": ["perfect"]}}]}],
    },
]
FILES = {
    "qrels.txt": TREC,
    "table.csv": TABLE,
    "basic.csv": BASIC,
    "book.csv": QUEPID,
    "opensearch.json": json.dumps(OPENSEARCH),
    "search.json": json.dumps({"hits": {"hits": [{"_source": OPENSEARCH}]}}),
    "studio.json": json.dumps(LABEL_STUDIO),
    "lines.jsonl": '{"query": "q1", "document": "d1", "grade": 0.5}\n',
}


@pytest.fixture
def files(folder):
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize(
    ("name", "shape", "grades", "left_out"),
    [
        ("qrels.txt", "trec", [("q1", "d1", 2, ""), ("q1", "d2", 0, ""), ("q2", "d3", 1, "")], []),
        ("table.csv", "table", [("q1", "d1", 2, "Ana"), ("q2", "d3", 1, "Ben")], []),
        ("basic.csv", "table", [("red shoes", "d1", 3, "")], ["no grade"]),
        (
            "book.csv",
            "quepid",
            [("red shoes", "d1", 3, "Ana"), ("red shoes", "d1", 2, "Ben"), ("blue hat", "d3", 1, "Ben")],
            [],
        ),
        (
            "opensearch.json",
            "opensearch",
            [("red shoes", "d1", 3, ""), ("red shoes", "d2", 0, "")],
            ["'high' is not a grade"],
        ),
        ("search.json", "opensearch", [("red shoes", "d1", 3, ""), ("red shoes", "d2", 0, "")], ["'high' is not a grade"]),
        (
            "studio.json",
            "label_studio",
            [
                ("q1", "d1", 2, "annotator 4"),
                ("q1", "d1", 1, "annotator 5"),
                ("q1", "d1", 0, "cy@example.org"),
                ("q1", "d1", 3, "dee@example.org"),
            ],
            ["the annotation was cancelled", "'perfect' is not a grade"],
        ),
        ("lines.jsonl", "table", [("q1", "d1", 0.5, "")], []),
    ],
)
def test_shapes(files, name, shape, grades, left_out):
    file = read_judgment_file(name)
    assert (file.shape, [(found.query, found.document, found.grade, found.judge) for found in file.grades]) == (
        shape,
        grades,
    )
    assert [reason.partition(": ")[2] for reason in file.left_out] == left_out
    assert read_judgment_file(name, shape) == file


def test_samples_of_the_page_are_read_as_it_says(folder):
    page = (Path(__file__).parents[2] / "docs" / "judging-reference.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| [^|]* \| (`.*`) \|$", page.partition("| `--shape` |")[2], re.MULTILINE)
    assert [shape for shape, _ in rows] == list(JUDGMENT_SHAPES)
    for shape, cell in rows:
        ending = {"trec": "txt", "table": "csv", "quepid": "csv"}.get(shape, "json")
        (folder / f"sample.{ending}").write_text("\n".join(cell.strip("`").split("` `")))
        file = read_judgment_file(f"sample.{ending}")
        assert (file.shape, len(file.grades) > 0, file.left_out) == (shape, True, [])


def test_times_reasons_and_labels(files):
    assert read_judgment_file("table.csv").grades[0][4:6] == ("2026-01-05T10:00:00+00:00", "fits")
    assert read_judgment_file("studio.json").grades[0].judged == "2026-02-01T08:00:00Z"
    assert read_judgment_file("studio.json", labels={"perfect": 3}).grades[-1].grade == 3
    with pytest.raises(BadParameter, match="no shape of a judgment file is called 'xml'"):
        read_judgment_file("qrels.txt", "xml")
    (files / "empty.txt").write_text("\n")
    with pytest.raises(DataError, match="at least one judgment"):
        read_judgment_file("empty.txt")


@pytest.fixture
def stored(files, monkeypatch):
    """A store with a result on a benchmark without judgments."""
    monkeypatch.setenv("ASSAY_STORE", "s.db")
    documents = {"d1": "red shoes", "d2": "red socks", "d3": "blue hat"}
    records = [{"query_id": query, "query": text} for query, text in QUERIES.items()]
    with Store.open("s.db") as store:
        store.save(library.run(records, "bm25", documents=documents).with_fields(benchmark="shop"))
    return files


def given(kind=None):
    with Store.open("s.db") as store:
        found = store.judgments.find(kind=kind)
        return [(one.query, one.document, one.judge, one.grade, one.kind) for one in sorted(found, key=lambda one: one[1:5])]


def test_import_says_what_it_would_do_and_does_it(stored, assay):
    (stored / "qrels.txt").write_text(TREC + "q9 0 d1 1\nq2 0 d99 3\nq2 0 d1 high\n")
    dry = assay("judgments", "import", "qrels.txt", "--judge", "NIST", "--dry-run")
    assert (dry.code, given()) == (0, [])
    assert (
        "4 judgments would be stored as people on shop by NIST, read as trec: 4 new, 0 changed, 0 already stored" in dry.out
    )
    assert "1 query is in no result on the benchmark, so its grades are left out (q9)." in dry.err
    assert "1 document is in no result on the benchmark; its grades are stored (d99)." in dry.err
    assert "1 grade cannot be read and is left out (qrels.txt:6: 'high' is not a grade)." in dry.err
    assert assay("judgments", "import", "qrels.txt", "--judge", "NIST").code == 0
    first = [("q1", "d1", "NIST", 2, "people"), ("q1", "d2", "NIST", 0, "people")]
    assert given() == [*first, ("q2", "d3", "NIST", 1, "people"), ("q2", "d99", "NIST", 3, "people")]
    (stored / "qrels.txt").write_text("q1 0 d1 3\nq1 0 d2 0\n")
    again = assay("judgments", "import", "qrels.txt", "--judge", "NIST")
    assert "1 judgment stored as people on shop by NIST, read as trec: 0 new, 1 changed, 1 already stored" in again.out
    assert given()[0] == ("q1", "d1", "NIST", 3, "people")


def test_grades_outside_the_scale_of_the_guidelines_are_noted_and_stored(stored, assay):
    """If the benchmark itself has such grades, its scale is another one."""
    (stored / "qrels.txt").write_text("q1 0 d1 5\nq1 0 d2 -1\nq2 0 d3 3\n")
    done = assay("judgments", "import", "qrels.txt", "--judge", "NIST")
    assert "note: 2 grades are outside the scale 0 to 3 of the guidelines and stored unchanged" in done.err
    assert "(query q1, document d1: 5; query q1, document d2: -1)" in done.err
    assert [grade for *_, grade, _ in given()] == [5, -1, 3]
    with Store.open("s.db") as store:
        (result,) = store.find("latest").results
        store.save(result.with_fields(relevant={"q1": {"d1": 5.0}}))
    assert "1 grade is outside" in assay("judgments", "import", "qrels.txt", "--judge", "Eva").err


def test_queries_are_found_by_their_text_and_judges_keep_their_names(stored, assay):
    done = assay("judgments", "import", "book.csv")
    assert given() == [
        ("q1", "d1", "Ana", 3, "people"),
        ("q1", "d1", "Ben", 2, "people"),
        ("q2", "d3", "Ben", 1, "people"),
    ]
    assert "3 grades matched a query by its text." in done.err
    assert assay("judgments", "import", "studio.json", "--judge", "LS", "--kind", "model").code == 0
    names = {"annotator 4": 2, "annotator 5": 1, "cy@example.org": 0, "dee@example.org": 3}
    assert given("model") == [("q1", "d1", f"LS: {name}", grade, "model") for name, grade in names.items()]
    for layer, line in {"people": "q1 0 d1 2\nq2 0 d3 1\n", "model": "q1 0 d1 1\n"}.items():
        assert assay("judgments", "export", "--layer", layer, "-o", "out.txt").code == 0
        assert (stored / "out.txt").read_text() == line
    differing = assay("judgments", "import", "basic.csv", "--judge", "Cleo")
    assert "1 pair has another grade by another judge of the same kind." in differing.err


def test_two_grades_of_one_judge_for_a_pair(stored, assay):
    (stored / "twice.csv").write_text(
        "query,document,grade,time\nq1,d1,1,\nq1,d1,2,\nq2,d3,0,2026-01-01\nq2,d3,3,2026-01-02\n"
    )
    done = assay("judgments", "import", "twice.csv", "--judge", "Ana")
    assert "1 pair has several grades by one judge in the file and is left out (q1 d1)." in done.err
    assert given() == [("q2", "d3", "Ana", 3, "people")], "the newest, if the file says when"
    (stored / "old.csv").write_text("query,document,grade,time\nq2,d3,1,2025-01-01\n")
    assert "1 older than stored grades" in assay("judgments", "import", "old.csv", "--judge", "Ana").out
    assert given() == [("q2", "d3", "Ana", 3, "people")]


def test_what_is_refused(stored, assay):
    for words, what in {
        ("import",): "import needs a file",
        ("import", "qrels.txt"): "the file does not say who judged. Add --judge NAME",
        ("import", "qrels.txt", "--judge", "A", "--query", "q1"): "import stores all judgments of the file",
        ("import", "qrels.txt", "--judge", "A", "--benchmark", "shp"): "Did you mean shop?",
        ("list", "qrels.txt"): "only import reads a file of judgments",
        ("import", "qrels.txt", "--judge", "A", "--grades", "x"): "labels with grades",
    }.items():
        done = assay("judgments", *words)
        assert (done.code, what in done.err) == (2, True), (words, done.err)
    assert given() == []


def test_labels_that_are_words_get_their_grades(stored, assay):
    task = {"data": {"query_id": "q1", "doc_id": "d1"}, "annotations": [{"completed_by": 4, "result": []}]}
    task["annotations"][0]["result"].append({"value": {"choices": ["relevant"]}})
    Path("words.json").write_text(json.dumps([task]))
    lost = assay("judgments", "import", "words.json", "--benchmark", "shop")
    assert "no grade could be read. If labels are words, say their grades: --grades relevant=2,partly=1" in lost.err
    done = assay("judgments", "import", "words.json", "--benchmark", "shop", "--grades", "relevant=2")
    assert (done.code, "note: no grade" in done.err, [row[3] for row in given()]) == (0, False, [2.0])
