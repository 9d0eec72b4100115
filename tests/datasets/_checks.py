"""A clean benchmark and a clean run, and every code of the preflight: what has it, and what narrowly does not."""

from dataclasses import replace
from pathlib import Path

from assay import BenchmarkDataset, Document, Query, RelevanceJudgment, Span
from assay.datasets import Repair

TEXTS = {"q1": "how long do cats sleep", "q2": "where does the river Elbe begin", "q3": "who painted the chapel"}


def clean(**changes) -> BenchmarkDataset:
    """Three queries, twelve documents, one relevant document each."""
    dataset = BenchmarkDataset("clean")
    for number, (query, text) in enumerate(TEXTS.items(), 1):
        dataset.add_query(Query(query, text))
        dataset.add_judgment(RelevanceJudgment(query, f"d{number}", 1))
    for number in range(1, 13):
        dataset.add_document(Document(f"d{number}", f"passage number {number}"))
    for name, value in changes.items():
        setattr(dataset, name, value)
    return dataset


def with_query(query: Query, **changes) -> BenchmarkDataset:
    dataset = clean(**changes)
    dataset.add_query(query)
    return dataset


def judged(query: Query, grades: dict[str, float] | None = None, **changes) -> BenchmarkDataset:
    """One more query, with judgments."""
    dataset = with_query(query, **changes)
    dataset.qrels[query.query_id] = {"d4": 1} if grades is None else grades
    return dataset


HERE = Path(__file__).parent


def with_image(place: str, path: Path | None) -> BenchmarkDataset:
    """One more document, which is an image; `path` is the folder of the benchmark."""
    return with_document(Document("d13", metadata={"image": place}), path=path)


def with_document(document: Document, **changes) -> BenchmarkDataset:
    dataset = clean(**changes)
    dataset.documents[document.doc_id] = document
    return dataset


def graded(**grades: dict[str, float]) -> BenchmarkDataset:
    return clean(qrels=grades)


def scoped(evidence=("a1",), scope="a", grades=None, pack=None) -> BenchmarkDataset:
    """Two groups of documents, and a query that may search one of them."""
    documents = {name: Document(name, f"turn {name}", group=name[0]) for name in ("a1", "a2", "b1", "b2")}
    query = Query("q1", TEXTS["q1"], evidence=evidence, scope=scope)
    qrels = {} if grades is None else {"q1": grades}
    return BenchmarkDataset("scoped", queries={"q1": query}, documents=documents, qrels=qrels, pack=pack)


def spanned(start, end, unit="lines", file="a.py", text=None) -> BenchmarkDataset:
    """A file of three lines and 12 characters, and a span."""
    documents = {"a.py": Document("a.py", "one\ntwo\nfour")}
    spans = {"q1": [Span(file, start, end, unit, text)]}
    return BenchmarkDataset("spans", queries={"q1": Query("q1", TEXTS["q1"])}, documents=documents, spans=spans)


def lost(**fields) -> BenchmarkDataset:
    """A query that the reader noted a loss for."""
    return with_query(Query("c/q4", "what else", **fields), repairs=[Repair("c, question 4", "gone", is_loss=True)])


def record(grade: float) -> BenchmarkDataset:
    return clean(judgments={("q1", "d1"): RelevanceJudgment("q1", "d1", grade, judge="Ada")})


def near(text: str) -> BenchmarkDataset:
    return judged(Query("q4", text, expected="x"), queries={"q1": Query("q1", LONG)})


LONG = "one two three four five six seven eight nine"
COPY = Document("d13", "passage number 1")
SOME = {"q1": {"d1": 1}, "q2": {"d2": 1}, "q3": {"d3": 1}}
MANY = {f"d{number}": 1 for number in range(1, 13)}
CROWD = {f"x{number}": 0 for number in range(30)}


def repaired(code):
    """A dataset whose reader noted something of this kind."""
    dataset = clean()
    dataset.repairs.append(Repair("corpus.csv:7", "something about it", code=code))
    return dataset


def timed(asked, written="2024-04-01", place=None) -> BenchmarkDataset:
    """Queries with these times; the first document has the other time, and all others an old one."""
    dataset = clean()
    for (query, text), time in zip(TEXTS.items(), asked, strict=True):
        dataset.add_query(Query(query, text, time=time))
    for number, document in enumerate(list(dataset.documents.values())):
        dataset.add_document(replace(document, time="2024-01-01" if number else written))
    dataset.repairs += [Repair("queries", "times without a zone are read as UTC", code="times")] if place else []
    return dataset


ASKED = ["2024-05-01"] * 3
OF_DATASETS = {
    "younger-than-query": (timed(ASKED, "2024-05-02"), timed(ASKED, "2024-05-01T23:00Z")),
    "query-without-time": (timed(["2024-05-01", None, None]), timed([None] * 3)),
    "document-without-time": (timed(ASKED, None), timed(ASKED)),
    "no-time-zone": (timed(ASKED, place="queries"), timed(ASKED)),
    "no-queries": (BenchmarkDataset(), clean()),
    "query-id-mismatch": tuple(clean(queries={"q1": Query(name, "?")}, qrels={"q1": {"d1": 1}}) for name in ("q4", "q1")),
    "similar-query-ids": (judged(Query("Q1 ", "what else")), judged(Query("q11", "what else"))),
    "empty-query": (judged(Query("q4", " \n")), judged(Query("q4", "?"))),
    "mojibake-query": (judged(Query("q4", "schÃ¶n")), judged(Query("q4", "schön IRMÃ… “CAFÉ” Ângela"))),
    "near-duplicate-queries": (near(f"{LONG} ten"), near(f"{LONG} ten eleven")),
    "bad-record-left-out": (repaired("left-out"), clean()),
    "unused-file": (repaired("unused-file"), clean()),
    "unused-column": (repaired("unused-column"), clean()),
    "column-choice": (repaired("columns"), clean()),
    "no-documents": (clean(documents={}), BenchmarkDataset(queries={"q": Query("q")}, qrels={"q": {"d": 1}})),
    "expected-empty": (judged(Query("q4", "what else", expected=" ?")), judged(Query("q4", "what else", expected="7"))),
    "no-ground-truth": (clean(qrels={}), graded(q1={"d1": 1})),
    "query-without-judgments": (with_query(Query("q4", "?", expected="")), with_query(Query("q4", "?", expected="this"))),
    "query-without-relevant": (judged(Query("q4", "what else"), {"d1": 0}), judged(Query("q4", "what else"), {"d1": 0.5})),
    "unknown-query": (graded(**SOME, q4={"d1": 1}), graded(**SOME)),
    "document-id-mismatch": tuple(clean(documents={"d1": Document(name, "x")}) for name in ("other", "d1")),
    "similar-document-ids": (with_document(Document("D1", "what else")), with_document(Document("d01", "what else"))),
    "empty-document": (with_document(Document("d13", "\t")), with_document(Document("d13", "", title="Cats"))),
    "mojibake-document": (
        with_document(Document("d13", "x", title="donâ€™t")),
        with_document(Document("d13", "don’t", title="“É”")),
    ),
    "duplicate-documents": (with_document(COPY), with_document(Document("d13", COPY.text, group="another haystack"))),
    "query-is-document-id": (with_document(Document("q1", "what else")), with_document(Document("q11", "what else"))),
    "query-is-document-text": tuple(with_document(Document("d13", TEXTS["q1"] + end)) for end in ("\n", "?")),
    "scope-unknown": (scoped(scope="c"), scoped(scope="a")),
    "missing-media": (with_image("none.png", HERE), with_image("https://example.org/none.png", HERE)),
    "media-outside-folder": (with_image("../none.png", HERE), with_image("../none.png", None)),
    "unknown-media-type": (with_image("a.xyz", None), with_image("a.png", None)),
    "span-outside-file": (spanned(2, 4), spanned(2, 3)),
    "stale-span": (spanned(1, 1, text="two"), spanned(2, 2, text="two ")),
    "repaired": (clean(repairs=[Repair("line 3", "fixed")]), clean()),
    "lost": (clean(repairs=[Repair("line 3", "gone", is_loss=True)]), clean(repairs=[Repair("line 3", "fixed")])),
    "ground-truth-lost": (lost(evidence=()), lost(evidence=(), expected="this")),
    "relevant-not-in-corpus": (graded(**SOME, q4={"d99": 1}), graded(**SOME, q4={"d99": 0})),
    "judged-not-in-corpus": (graded(**SOME, q4={"d99": 0}), graded(**SOME, q4={"d9": 0})),
    "no-judged-in-corpus": (graded(q1={"x": 1, "y": 0}), graded(q1={"d1": 1, "y": 0})),
    "judged-not-in-scope": (scoped(grades={"b1": 1, "a1": 1}), scoped(grades={"b1": 0, "a1": 1})),
    "evidence-not-in-corpus": (scoped(("a1", "a3")), scoped(("a1", "a2"))),
    "evidence-not-in-scope": (scoped(("a1", "b1")), scoped(("a1", "b1"), scope=None)),
    "evidence-unlike-ids": (scoped(("fact 1", "fact 2")), scoped(("fact 1", "a1"))),
    "conflicting-judgments": (record(2), record(1)),
    "negative-grades": (graded(**SOME, q4={"d4": -1}), graded(**SOME, q4={"d4": 0})),
    "fractional-grades": (graded(**SOME, q4={"d4": 0.5}), graded(**SOME, q4={"d4": 2.0})),
    "nothing-relevant": (graded(q1={"d1": 0}, q2={"d2": -1}), graded(q1={"d1": 0}, q2={"d2": 1})),
    "mixed-grade-scales": (graded(**SOME, q4={"d4": 0, "d5": 4}), graded(**SOME, q4={"d4": 0, "d5": 2, "d6": 4})),
    "lopsided-judgments": (graded(**SOME, q4=CROWD), graded(**SOME, q4={**MANY})),
}

ORDER = [f"d{number}" for number in range(1, 13)]


def clean_run(**changes) -> dict[str, dict[str, float]]:
    """Twelve documents for each query, the relevant one first."""
    return {query: {doc: -float(place) for place, doc in enumerate(ORDER)} for query in TEXTS} | changes


def scores(*values: float) -> dict[str, float]:
    return {f"d{number}": value for number, value in enumerate(values, 1)}


ALL_JUDGED = clean(qrels={query: dict.fromkeys(ORDER, 0) | {"d1": 1} for query in TEXTS})
DOWN = tuple(range(12, 0, -1))


def trec(*ranks_and_scores: tuple[int, float]) -> str:
    return "".join(f"q1 Q0 d{n} {rank} {score} x\n" for n, (rank, score) in enumerate(ranks_and_scores, 1))


CHUNKS = {"q1": {"d1#0": 2.0, "d1#1": 1.0}}
BY_EVIDENCE = {"q1": {"a1": 2.0, "a2": 1.0}}

OF_RUNS = {
    "run-unreadable": (ALL_JUDGED, "q1 Q0 d1\n", "q1 Q0 d1 1 1.0 x\n"),
    "run-score-not-a-number": (ALL_JUDGED, clean_run(q1={"d1": float("nan")}), clean_run(q1={"d1": float("inf")})),
    "run-duplicate-document": (ALL_JUDGED, clean_run(q1=["d1", "d2", "d1"]), clean_run(q1=["d1", "d2", "d3"])),
    "run-rank-contradicts-score": (ALL_JUDGED, trec((1, 1.0), (2, 2.0)), trec((2, 1.0), (1, 2.0))),
    "run-no-query-matches": (ALL_JUDGED, {"7": {"d1": 1.0}}, {"7": {"d1": 1.0}, "q1": {"d1": 1.0}}),
    "run-missing-query": (ALL_JUDGED, {"q1": scores(*DOWN), "q2": scores(*DOWN)}, clean_run()),
    "run-unknown-query": (ALL_JUDGED, clean_run(q9=scores(*DOWN)), clean_run()),
    "run-no-id-matches": (ALL_JUDGED, clean_run(q1={"x": 1.0}, q2={}, q3={}), clean_run(q1={"x": 1.0, "d1": 2.0})),
    "run-chunk-ids": (ALL_JUDGED, clean_run(**CHUNKS), clean_run(q1={"x#0": 2.0, "d1#1": 1.0, "y#0": 3.0})),
    "run-unknown-document": (ALL_JUDGED, clean_run(q1={"x": 1.0}), clean_run(q1={"d1": 1.0})),
    "run-out-of-scope": (scoped(), {"q1": {"a1": 2.0, "b1": 1.0}}, BY_EVIDENCE),
    "run-retrieved-query": (ALL_JUDGED, clean_run(q1={"q1": 1.0, "d1": 2.0}), clean_run(q1={"q2": 1.0, "d1": 2.0})),
    "run-unjudged": (graded(q1=dict.fromkeys(ORDER[:8], 1)), {"q1": scores(*DOWN[:10])}, {"q1": scores(*DOWN[:9])}),
    "run-constant-scores": (ALL_JUDGED, clean_run(q1=scores(1, 1, 1)), clean_run(q1=scores(1, 1, 2))),
    "run-ties-at-k": (ALL_JUDGED, clean_run(q1=scores(*DOWN[:9], 1, 1)), clean_run(q1=scores(*DOWN[:8], 2, 2, 1))),
    "run-short": (ALL_JUDGED, clean_run(q1=scores(*DOWN[:9])), clean_run(q1=scores(*DOWN[:10]))),
}
"""Code → the dataset, a run that has it, and one that narrowly does not. Text is a file in TREC layout."""
