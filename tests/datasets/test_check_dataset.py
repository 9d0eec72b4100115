"""check_dataset: every code of the preflight is found where it is, and not where it narrowly is not."""

import gzip
import io
import json
import re
import time
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import BadParameter, BenchmarkDataset, DataError, Document, Query
from assay.datasets import (
    Repair,
    check_dataset,
    describe_respelling,
    find_prefix_difference,
    load_dataset,
    unreadable,
)
from assay.files import FileSource
from assay.text import words_of

from ._cases import write
from ._checks import (
    ALL_JUDGED,
    COPY,
    OF_DATASETS,
    OF_RUNS,
    ORDER,
    clean,
    clean_run,
    graded,
    judged,
    scoped,
    scores,
    spanned,
    trec,
    with_document,
)
from ._files import put_all

DOCS = Path(__file__).parents[2] / "docs" / "checks.md"


OF_FILES = {"dataset-unreadable", "unreadable-documents", "empty-corpus"}
"""What only files can have."""
OF_TERMS = {"term-unknown", "term-obsolete", "term-alternative", "term-label", "terms-not-checked"}
"""What a domain finds."""


def codes(dataset, run=None, **options):
    return [finding.code for finding in check_dataset(dataset, run, **options)]


def find(code, dataset, run=None):
    return next(finding for finding in check_dataset(dataset, run) if finding.code == code)


def as_run(run):
    return io.StringIO(run) if isinstance(run, str) else run


def test_every_code_is_found_where_it_is_and_nowhere_else(snapshots):
    documented = set(re.findall(r"^\| `([\w-]+)` \|", DOCS.read_text(encoding="utf-8"), re.MULTILINE))
    assert OF_DATASETS.keys() | OF_RUNS.keys() == documented - OF_FILES - OF_TERMS
    told = []
    for code, (has_it, has_not) in OF_DATASETS.items():
        finding = find(code, has_it)
        assert code not in codes(has_not), code
        assert finding.count >= len(finding.cases) == len(finding.places)
        assert json.loads(json.dumps(finding.to_dict()))["code"] == code
        told.append(finding)
    for code, (dataset, has_it, has_not) in OF_RUNS.items():
        told.append(find(code, dataset, as_run(has_it)))
        assert code not in codes(dataset, as_run(has_not)), code
    shown = [(one, one.cases[0].found if one.cases else "") for one in told]
    lines = [f"## {one.code} ({one.severity})\n{one.message}\n{case}\n{one.advice}\n" for one, case in shown]
    snapshots.check("datasets/findings", "\n".join(lines))


def test_what_is_clean_has_no_findings(tmp_path):
    for dataset in (clean(), scoped(), spanned(1, 3), BenchmarkDataset(queries={"q": Query("q")}, qrels={"q": {"d": 1}})):
        assert codes(dataset) == []
    rows = [(query, doc, score) for query, ranking in clean_run().items() for doc, score in ranking.items()]
    text = "".join(f"{query} Q0 {doc} 1 {score} x\n" for query, doc, score in rows)
    path, packed = write(tmp_path / "r.run", text), write(tmp_path / "r.gz", gzip.compress(text.encode()))
    hits = {query: [{"id": doc, "content": "x", "score": -n} for n, doc in enumerate(ORDER)] for query in clean_run()}
    saved = write(tmp_path / "r.json", json.dumps(hits))
    for run in (path, str(path), FileSource(path), packed, clean_run(), assay.Run(clean_run()), rows, hits, saved):
        assert codes(ALL_JUDGED, run) == []
    for k in (0, True, 2.5, "10"):
        with pytest.raises(BadParameter):
            check_dataset(clean(), k=k)


def told(dataset, run=None, **options):
    """Every finding: its code and count, and the place of its first cases with what was found there."""
    lines = []
    for one in check_dataset(dataset, run, **options):
        cases = [f"  {case.place}: {case.found}" for case in one.cases[:3]]
        lines += [f"{one.code} ({one.severity}, {one.count}): {one.message}", *cases]
    return "".join(f"{line}\n" for line in lines) or "nothing\n"


def with_more(dataset, *documents, queries=(), qrels=(), repairs=()):
    for document in documents:
        dataset.add_document(document)
    for query in queries:
        dataset.add_query(query)
    dataset.qrels |= dict(qrels)
    dataset.repairs += repairs
    return dataset


def lost(place, qrels=()):
    """A loss at a place that names a query in one way or another."""
    repair = Repair(place, "gone", is_loss=True)
    return with_more(clean(), queries=[Query("c/q4", "what else", evidence=())], qrels=qrels, repairs=[repair])


def in_memory():
    """Evidence whose pack knows ids without their scope."""
    dataset = scoped(("a/1",), scope="a")
    dataset.documents = {f"a/{n}": Document(f"a/{n}", f"turn {n}", group="a") for n in range(3)}
    dataset.pack = dataset.owner_of_relevance
    return dataset


ODD_DATASETS = {
    "errors come first": graded(q1={"d1": 1, "d99": 1}, q2={"d2": -1}, q8={"d1": 1}),
    "twenty places are kept": clean(documents={f"e{n}": Document(f"e{n}") for n in range(50)}),
    **{f"grades {grades}": graded(q1=dict(zip(ORDER, grades, strict=False))) for grades in ((0, 1, 2, 3, 4), (0, 1, 100))},
    "a histogram": graded(q1={"a": -1, "b": 0, "c": 0, "d": 1}),
    "where answers judge": with_more(
        judged(Query("q4", "what else"), {"d1": 0}, qrels={}), queries=[Query("q5", "and what then", expected="that")]
    ),
    **{f"a copy graded {grade}": with_more(with_document(COPY), qrels={"q1": {"d13": grade, "d1": 1}}) for grade in (0, 1)},
    "evidence judged not relevant": scoped(("a1",), grades={"a1": 0, "a2": 1}),
    "evidence not judged": scoped(("a1",), grades={"a2": 1}),
    "empty documents are no copies": with_more(clean(), Document("d13"), Document("d14")),
    "another title is no copy": with_document(Document("d13", COPY.text, title="Another")),
    "three copies": with_more(with_document(COPY), Document("d14", COPY.text)),
    **{f"a loss at {place}": lost(place) for place in ("query c/q4", "question c/q4", "c, question 4")},
    "a loss of a judged query": lost("query c/q4", {"c/q4": {"d1": 1}}),
    **{
        f"span {span}": spanned(*span)
        for span in [
            *((1, 3), (0, 3), (3, 2), (0, 12, "characters"), (0, 13, "characters"), (5, 5, "characters")),
            *((-1, 5, "characters"), (1, 1, "lines", "b.py"), (1, 99, "tokens"), (1, 1, "lines", "a.py", "two")),
            *((2, 2, "lines", ".\\a.py", "two"), (2, 9, "lines", "repo/a.py", "one"), (0, 3, "characters", "a.py", "one")),
        ]
    },
    "documents unlike their judgments": graded(q1={"d1#0": 1}),
}
CHUNKS = {query: {f"{doc}::{n}": float(-n) for n, doc in enumerate(ORDER)} for query in clean_run()}
STRANGERS = {query: {f"x{n}": float(n) for n in range(12)} for query in clean_run()}
SOME_JUDGED = clean(qrels={"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1, "d2": 1}, "q3": dict.fromkeys(ORDER, 1)})
CONTRADICTIONS = [((3, 1.0), (1, 3.0), (2, 2.0)), ((1, 3.0), (3, 1.0), (2, 4.0)), ((0, 1.0), (0, 2.0))]
TIED = clean_run(q1=scores(3, 2, 2, 1))
ODD_RUNS = {
    "no run at all": (ALL_JUDGED, 7, 10),
    "no numbers": (ALL_JUDGED, {"q1": {"d1": float("nan"), "d2": 1.0, "d3": "high"}, "q2": {"d1": None}}, 10),
    "chunks": (ALL_JUDGED, CHUNKS, 10),
    "strangers": (ALL_JUDGED, STRANGERS, 10),
    "ids of judgments": (clean(documents={}), clean_run(), 10),
    "strangers to judgments": (clean(documents={}), STRANGERS, 10),
    "another spelling of a query": (ALL_JUDGED, {"Q1": {"d1": 1.0}}, 10),
    "ids without their scope": (in_memory(), {"q1": {"1": 2.0, "a/2": 1.0}}, 2),
    "chunks without their scope": (in_memory(), {"q1": {"1#0": 2.0, "1#1": 1.0}}, 2),
    "answers need no ids": (BenchmarkDataset(queries={"q1": Query("q1", "how?", expected="ten")}), {"q1": {"x": 2.0}}, 1),
    "there is no more to find": (scoped(), {"q1": {"a1": 2.0, "a2": 1.0}}, 10),
    "there is more to find": (scoped(), {"q1": {"a1": 2.0}}, 10),
    "nothing for a query": (ALL_JUDGED, clean_run(q1={}), 10),
    **{f"ties and depth, k={k}": (ALL_JUDGED, TIED, k) for k in (2, 3, 4, 5)},
    **{f"unjudged, k={k}": (SOME_JUDGED, clean_run(), k) for k in (2, 4)},
    "equal scores are told once": (ALL_JUDGED, clean_run(q1=scores(*[1] * 12)), 10),
    "a document twice among hits": (ALL_JUDGED, clean_run(q1=[{"id": "d1", "content": "x"}] * 2), 10),
    **{f"ranks and scores {rows}": (ALL_JUDGED, trec(*rows), 2) for rows in CONTRADICTIONS},
    "ranks that are none": (ALL_JUDGED, "q1 Q0 d1 - 1 x\nq1 Q0 d2 - 2 x\n", 2),
    "faults of several kinds": (ALL_JUDGED, "q1 Q0 d1 1 nan x\nq1 Q0 d2 2 high x\nq1 Q0 d3\n", 10),
    "a document twice does not end it": (ALL_JUDGED, trec((1, 3.0), (2, 2.0)) + "q1 Q0 d1 13 1 x\nq9 Q0 d1 1 1 x\n", 10),
}


def test_findings_of_odd_datasets_and_runs(snapshots):
    parts = [f"## {case}\n{told(dataset)}" for case, dataset in ODD_DATASETS.items()]
    parts += [f"## {case}\n{told(dataset, as_run(run), k=k)}" for case, (dataset, run, k) in ODD_RUNS.items()]
    snapshots.check("datasets/odd_findings", "\n".join(parts))
    assert "--unit document" in find("run-no-id-matches", ALL_JUDGED, CHUNKS).advice
    dataset = spanned(1, 1, text="nowhere")  # a stale span is told once, though the reader of a file notes it too
    noted = find("stale-span", dataset).cases[0].found
    dataset.repairs = [Repair("query q1", noted, is_loss=True), Repair("line 7", "no JSON", is_loss=True)]
    assert [case.found for code in ("stale-span", "lost") for case in find(code, dataset).cases] == [noted, "no JSON"]
    dataset.documents = {}  # without files spans cannot be looked up
    assert codes(dataset) == ["lost"]


def benchmark(folder, corpus, judgments="q1\td1\t1\n", queries=("one", "two")):
    """A BEIR folder with these lines of documents."""
    files = {
        "corpus.jsonl": "\n".join(corpus) + "\n",
        "queries.jsonl": [{"_id": f"q{number}", "text": text} for number, text in enumerate(queries, 1)],
        "qrels/test.tsv": f"query-id\tcorpus-id\tscore\n{judgments}",
    }
    return load_dataset(put_all(folder, files))


def test_what_a_file_has_a_line_for_is_told_with_that_line(snapshots, tmp_path):
    document = '{"_id": "d1", "text": "a"}'
    judgments = "q1\td 1\t1\nq1\td9\t1\nq2\td2\t1\nq7\td2\t1\n"
    lines = benchmark(tmp_path / "a", ['{"_id": "d 1", "text": "a"}', '{"_id": "d2"}'], judgments, ("one", "", "three"))
    rows = [{"query_id": query, "doc_id": "d1", "relevance_grade": grade} for query, grade in (("q1", 1), ("q2", 0.5))]
    tables = put_all(tmp_path / "tables", {"queries.jsonl": '{"query_id": "q1", "text": "?"}\n', "judgments.jsonl": rows})
    clean(qrels={"q1": {"d1": 1, "nowhere": 1}}).save_json(tmp_path / "d.json")  # which has no lines
    parts = {
        "a BEIR folder": told(with_more(lines, Document("d3", ""))),
        "TREC": told(load_dataset(write(tmp_path / "qrels.txt", "# judged in May\nq1 0 d1 1\nq1 0 d2 -1\n"))),
        "tables": told(load_dataset(tables)),
        "JSON": told(load_dataset(tmp_path / "d.json")),
        "a document twice": told(benchmark(tmp_path / "b", [document, '{"_id": "d2", "text": "b"}', document])),
        "no JSON": told(benchmark(tmp_path / "c", ["no JSON"], "q1\td9\t1\nq2\td8\t1\n")),
        "no run": told(ALL_JUDGED, tmp_path / "none.run"),
        "a run": told(ALL_JUDGED, write(tmp_path / "r.run", "# scores\n" + trec((1, 0.25), (2, 0.5))), k=2),
    }
    snapshots.check("datasets/places", "\n".join(f"## {case}\n{text}" for case, text in parts.items()))
    lines.path = tmp_path / "gone"
    assert "query q2" in find("empty-query", lines).places


def test_a_dataset_that_cannot_be_read_is_one_finding_with_its_faults(tmp_path):
    faulty = write(tmp_path / "a.csv", "id,relevant\n1\n2\n")
    for path, places in {faulty: (f"{faulty}:2", f"{faulty}:3"), tmp_path / "none.csv": (f"{tmp_path}/none.csv",)}.items():
        with pytest.raises(DataError) as error:
            load_dataset(path, "golden")
        (finding,) = unreadable(error.value)
        assert (finding.code, finding.severity, finding.count) == ("dataset-unreadable", "error", len(places))
        assert finding.places == places


def test_why_ids_of_two_sides_may_not_match(snapshots):
    pairs = [
        *(("doc7#3", "doc7"), (" doc7", "doc7"), ("7.0", "7"), ("007", "7"), ("DOC7", "doc7"), ("doc7", "DOC7")),
        *(("data/doc7", "doc7"), ("doc7.txt", "doc7")),
    ]
    told = [describe_respelling(["other", strange], {known}) for strange, known in pairs]
    assert describe_respelling(["a", "b"], {"c"}) == describe_respelling([], {"c"}) == ""
    prefixes = [(["topic1", "topic2"], {"q1", "q2"}), (["1", "12", "20"], {"q12", "q20"}), (["a:7", "a:8"], {"7", "8"})]
    told += [find_prefix_difference(strange, known).description for strange, known in prefixes]
    snapshots.check("datasets/respellings", "".join(f"{what}\n" for what in told))
    for strange, known in [(["x1"], {"q1", "q2"}), (["q8", "q9"], {"q1", "q2"}), ([], {"q1"}), (["x1", "x2"], set())]:
        assert find_prefix_difference(strange, known) is None, strange  # one that fits may do so by chance


WRONG = [
    *(("schÃ¶n", "ö"), ("Ã–sterreich", "Ö"), ("voilÃ\xa0 tout", "à"), ("donâ€™t", "’"), ("20Â°C", "°"), ("5â‚¬", "€")),
    *(("Å¡koda", "š"), ("ï»¿id", ""), ("ðŸ˜€", "😀"), ("æˆ‘ä»¬", "我们"), ("ÐŸÑ€Ð¸Ð²ÐµÑ‚", "Привет")),
    *(("ã\x81\x82ã\x81\x84", "あい"), ("a\ufffdb", "")),
]
RIGHT = (
    *("plain", "Ângela", "CORAÇÃO", "SÃO PAULO", "IRMÃ…", "IRMÃ\xa0MAIS", "“CAFÉ”", "BEYONCÉ’S", "«CLICHÉ»", "É®"),
    *("Voilà…", "fiancé»…", "FRÅ…", "ÄÖÜ", "naïve", "10 €", "à la «carte»", "Đặng Â", "我们今天", "Привет, мир", "ελληνικά"),
)


def told_of(code, *queries):
    """What is told about queries: id → what is found."""
    dataset = BenchmarkDataset(queries={query.query_id: query for query in queries})
    dataset.qrels = {query: {"d": 1} for query in dataset.queries}
    return {case.query: case.found for one in check_dataset(dataset) if one.code == code for case in one.cases}


def mojibake(text):
    return told_of("mojibake-query", Query("q", text)).get("q")


def test_wrong_letters_are_found_and_real_text_is_left_in_peace():
    for text, letters in WRONG:
        assert letters in mojibake(text), text
    for text in RIGHT:
        assert mojibake(text) is None, text


@given(st.text("äöüßéèàçñáíóúâêîôûåøæ", min_size=2, max_size=8))
def test_words_with_accents_are_found_once_misread(word):
    assert mojibake(word) is None
    assert any(letter in mojibake(word.encode().decode("latin-1")) for letter in word)


def near_duplicates(*texts, scopes=None):
    """Queries that are told to be much like another: number → what is told."""
    pairs = enumerate(zip(texts, scopes or [None] * len(texts), strict=True))
    return told_of("near-duplicate-queries", *(Query(str(n), text, scope=scope) for n, (text, scope) in pairs))


def test_queries_that_are_much_alike():
    assert list(near_duplicates("Who was Ada?", "ada WAS who", "was was Ada, who!")) == ["1", "2"]
    assert near_duplicates("?", "!", "") == near_duplicates("Ada", "Ada", scopes=["x", "y"]) == {}  # of another conversation
    assert list(near_duplicates("Ada", "Ada", scopes=["x", "x"])) == ["1"]
    asked = [Query(str(n), "Ada", time=time) for n, time in enumerate(("2024-05-01", "2024-05-02", None, "2024-05-01"))]
    assert list(told_of("near-duplicate-queries", *asked)) == ["3"]


@given(st.lists(st.lists(st.sampled_from("abcdefghijklm"), min_size=1, max_size=13), max_size=12))
def test_every_pair_that_is_much_alike_is_found(texts):
    sets = [frozenset(words_of(" ".join(words))) for words in texts]
    pairs = combinations(enumerate(sets), 2)
    wanted = {str(number) for (_, one), (number, other) in pairs if len(one & other) / len(one | other) >= 0.9}
    told = set(near_duplicates(*map(" ".join, texts)))
    first = {str(min(n for n, other in enumerate(sets) if other == one)) for one in sets}
    assert told <= wanted
    assert wanted & first <= told


names = st.text(min_size=1, max_size=8)


@st.composite
def sound_datasets(draw):
    """Any ids and texts at all; every query has a relevant document that is there."""
    docs = draw(st.lists(names, min_size=1, max_size=8, unique=True))
    dataset = BenchmarkDataset()
    for doc in docs:
        dataset.add_document(Document(doc, draw(st.text(max_size=20)), title=draw(st.none() | names)))
    for query in draw(st.lists(names, min_size=1, max_size=8, unique=True)):
        dataset.add_query(Query(query, draw(st.text(min_size=1, max_size=20)).strip() or "x"))
        grades = draw(st.dictionaries(st.sampled_from(docs), st.integers(-2, 4), max_size=4))
        dataset.qrels[query] = {**grades, docs[0]: 1}
    return dataset


@given(sound_datasets())
def test_a_sound_dataset_has_no_errors_and_order_does_not_matter(dataset):
    findings = check_dataset(dataset)
    assert [finding.code for finding in findings if finding.severity == "error"] == []
    json.dumps([finding.to_dict() for finding in findings])
    turned = BenchmarkDataset(
        queries=dict(reversed(dataset.queries.items())),
        documents=dict(reversed(dataset.documents.items())),
        qrels={query: dict(reversed(grades.items())) for query, grades in reversed(dataset.qrels.items())},
    )
    assert {*codes(turned)} == {finding.code for finding in findings}


@given(sound_datasets(), st.dictionaries(names, st.dictionaries(names, st.floats(allow_nan=False), max_size=5), max_size=5))
def test_no_run_breaks_the_check(dataset, run):
    told = codes(dataset, {**run, next(iter(dataset.queries)): dict.fromkeys(dataset.documents, 1.0)})
    assert not {"run-unreadable", "run-no-query-matches", "run-no-id-matches"} & set(told)


@pytest.mark.slow
def test_ten_thousand_queries_take_seconds():
    dataset = BenchmarkDataset()
    for number in range(10_000):
        dataset.add_query(Query(f"q{number}", f"what is thing{number} of the {number % 97} things of {number % 13} kinds"))
        dataset.qrels[f"q{number}"] = {f"d{number + shift}": 1 for shift in range(10)}
    dataset.documents = {f"d{number}": Document(f"d{number}", f"thing {number}") for number in range(10_010)}
    run = {query: {f"d{place}": float(-place) for place in range(20)} for query in dataset.queries}
    start = time.process_time()
    assert codes(dataset, run) == ["run-unjudged"]
    assert time.process_time() - start < 30  # of the processor; a second is usual, a square takes minutes


def test_texts_are_missed_where_something_has_a_place_for_them(tmp_path):
    """Judgments alone have no texts, and need none; a file of queries and a JSON file do."""
    qrels = "".join(f"q{number} 0 d1 1\n" for number in range(93))
    lines = "".join(json.dumps({"_id": f"q{number}", "text": " " * (number % 3)}) + "\n" for number in range(93))
    table = "query-id\tcorpus-id\tscore\n" + "".join(f"q{number}\td1\t1\n" for number in range(93))
    bare = {"queries": {f"q{number}": {"text": ""} for number in range(93)}, "qrels": {"q1": {"d1": 1}}}
    put_all(
        tmp_path / "beir", {"queries.jsonl": lines, "corpus.jsonl": '{"_id": "d1", "text": "x"}\n', "qrels/test.tsv": table}
    )
    without = [write(tmp_path / "qrels.txt", qrels), tmp_path / "judgments"]
    put_all(tmp_path / "judgments", {"qrels.txt": qrels, "docs.jsonl": '{"id": "d1", "contents": "x"}\n'})
    for place in (tmp_path / "beir", write(tmp_path / "bare.json", json.dumps(bare))):
        found = find("empty-query", load_dataset(place))
        assert (found.severity, found.count, found.message) == ("error", 93, "none of the 93 queries has a text"), place
        assert [case.query for case in found.cases[:2]] == ["q0", "q1"]
    for place in without:
        assert "empty-query" not in codes(load_dataset(place)), place
    some = find("empty-query", judged(Query("q4", " ")))
    assert (some.message, [case.query for case in some.cases]) == ("1 of 4 queries has no text", ["q4"])


def test_a_query_without_text_is_not_missed_in_a_run():
    dataset = judged(Query("q4", " "))
    assert "run-missing-query" not in codes(dataset, clean_run())
    assert find("run-missing-query", judged(Query("q4", "?")), clean_run()).count == 1
