"""Times in datasets: where they are read, what is wrong with them, and datasets as of a time."""

import json
from datetime import UTC, date, datetime

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import BenchmarkDataset, DataError, Document, Qrels, Query, RelevanceJudgment, UsageError, load_dataset
from assay.datasets import check_dataset, find_format

DAY, TEN = date(2024, 5, 1), datetime(2024, 5, 1, 10, tzinfo=UTC)


def write(folder, **files):
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_csv", ".csv").replace("_jsonl", ".jsonl").replace("_tsv", ".tsv")
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(content)
    return folder


def times(dataset):
    return (
        {key: query.time for key, query in dataset.queries.items()},
        {key: document.time for key, document in dataset.documents.items()},
    )


BOTH = ({"q": DAY}, {"d": TEN})
CSV = {
    "queries_csv": "query_id,question,asked_at\nq,cats?,2024-05-01\n",
    "corpus_csv": "doc_id,text,published\nd,cats,2024-05-01T12:00:00+02:00\n",
    "qrels_csv": "query_id,doc_id,relevance\nq,d,1\n",
}
FILES = {
    "tables": CSV,
    "jsonl": {
        "queries_jsonl": '{"query_id": "q", "text": "cats?", "date": "2024-05-01"}',
        "documents_jsonl": json.dumps({"doc_id": "d", "text": "cats", "timestamp": TEN.timestamp()}),
        "judgments_jsonl": '{"query_id": "q", "doc_id": "d", "relevance_grade": 1, "timestamp": "2024-05-07"}',
    },
    "beir": {
        "queries_jsonl": '{"_id": "q", "text": "cats?", "metadata": {"time": "2024-05-01"}}',
        "corpus_jsonl": json.dumps({"_id": "d", "text": "cats", "created_at": TEN.timestamp() * 1000}),
        "qrels__test_tsv": "query-id\tcorpus-id\tscore\nq\td\t1\n",
    },
}


@pytest.mark.parametrize("layout", FILES)
def test_folders(layout, tmp_path):
    assert times(load_dataset(write(tmp_path / "data", **FILES[layout]))) == BOTH


def test_single_files(tmp_path):
    plain = {
        "queries": {"q": {"text": "cats?", "date": "2024-05-01"}},
        "documents": [{"doc_id": "d", "text": "cats", "published_at": "2024-05-01T10:00Z"}],
        "qrels": {"q": {"d": 1}},
    }
    (tmp_path / "plain.json").write_text(json.dumps(plain))
    assert times(load_dataset(tmp_path / "plain.json")) == BOTH
    questions = [{"id": "q", "question": "cats?", "relevantIds": ["d"], "timestamp": "2024-05-01"}]
    rag = {"contexts": [{"id": "d", "text": "cats", "time": "2024-05-01T10:00Z"}], "questions": questions}
    (tmp_path / "rag.json").write_text(json.dumps(rag))
    assert times(load_dataset(tmp_path / "rag.json")) == BOTH
    (tmp_path / "golden.csv").write_text("question,relevant_ids,date\ncats?,d,2024-05-01\n")
    assert times(load_dataset(tmp_path / "golden.csv", documents=[{"id": "d", "text": "cats", "date": TEN}]))[0] == {
        "1": DAY
    }


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.Table.from_pylist])
def test_frames(frame):
    queries = frame([{"query_id": "q", "query": "cats?", "date": DAY}, {"query_id": "r", "query": "dogs?", "date": None}])
    documents = frame([{"id": "d", "text": "cats", "published": TEN}])
    dataset = BenchmarkDataset.from_frames(queries, documents, {"q": {"d": 1}})
    assert times(dataset) == ({"q": DAY, "r": None}, {"d": TEN})
    assert dataset.to_pandas("queries")["time"].tolist()[0] == DAY


def test_parquet(tmp_path):
    pd.DataFrame({"query_id": ["q"], "text": ["cats?"], "time": [TEN]}).to_parquet(tmp_path / "queries.parquet")
    pd.DataFrame({"doc_id": ["d"], "text": ["cats"], "date": [DAY]}).to_parquet(tmp_path / "documents.parquet")
    pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "relevance": [1]}).to_parquet(tmp_path / "judgments.parquet")
    assert times(load_dataset(tmp_path)) == ({"q": TEN}, {"d": DAY})


def test_the_user_names_the_column(tmp_path):
    folder = write(tmp_path / "data", **CSV | {"queries_csv": "query_id,question,when,date\nq,cats?,2024-05-01,never\n"})
    dataset = load_dataset(folder, columns="time=when")
    assert dataset.queries["q"].time == DAY
    assert dataset.queries["q"].metadata == {"date": "never"}


def test_no_column_is_a_time_if_the_user_says_so(tmp_path):
    """Many tables have a column such as date with other texts; the error says how to read them."""
    bad = {
        "tables": {
            "queries_csv": "query_id,question,asked\nq,cats?,spring\n",
            "corpus_csv": "doc_id,text,Published\nd,cats,1851\n",
        },
        "jsonl": {
            "queries_jsonl": '{"query_id": "q", "text": "cats?", "asked": "spring"}',
            "documents_jsonl": '{"doc_id": "d", "text": "cats", "Published": "1851"}',
        },
        "beir": {
            "queries_jsonl": '{"_id": "q", "text": "cats?", "asked": "spring"}',
            "corpus_jsonl": '{"_id": "d", "text": "cats", "metadata": {}, "Published": "1851"}',
        },
    }
    for layout, files in bad.items():
        folder = write(tmp_path / layout, **FILES[layout] | files)
        with pytest.raises(DataError, match=r"If \w+ does not say when, add --columns time=none"):
            load_dataset(folder)
        dataset = load_dataset(folder, columns={"time": "none"})
        assert times(dataset) == ({"q": None}, {"d": None}), layout
        assert dataset.queries["q"].metadata == {"asked": "spring"}
        assert dataset.documents["d"].metadata == {"Published": "1851"}
    folder = write(tmp_path / "views", **CSV | {"corpus_csv": "doc_id,text,views\nd,cats,1.2k\n"})
    for columns in (None, "popularity=none"):
        assert load_dataset(folder, columns=columns).documents["d"].metadata == {"views": "1.2k"}


def test_the_user_names_the_column_of_documents_that_are_read_later(tmp_path):
    corpus = '{"_id": "d", "text": "cats", "written": "2024-05-01T10:00"}'
    folder = write(tmp_path / "data", **FILES["beir"] | {"corpus_jsonl": corpus})
    dataset = load_dataset(folder, columns="time=written")
    assert times(dataset)[1] == {"d": TEN}
    assert [repair.what for repair in dataset.repairs] == ["times without a zone are read as UTC"]


def test_bad_times_are_faults_with_their_lines(tmp_path):
    queries = "query_id,question,time\nq,cats?,soon\nr,dogs?,2024-05-01\ns,cows?,2024\n"
    folder = write(tmp_path / "data", **CSV | {"queries_csv": queries})
    with pytest.raises(DataError) as told:
        load_dataset(folder)
    assert f"{folder}/queries.csv:2: the field time: 'soon' is not a time; expected ISO 8601" in str(told.value)
    assert "queries.csv:4: the field time: '2024' is not a time: a number must be seconds" in str(told.value)
    folder = write(tmp_path / "other", **CSV | {"corpus_csv": "doc_id,text,published\nd,cats,31.12.2024\n"})
    with pytest.raises(DataError, match=r"corpus.csv:2: the field published: '31.12.2024' is not a time"):
        list(load_dataset(folder).documents.values())


def test_a_missing_zone_is_noted_once(tmp_path):
    corpus = "doc_id,text,published\nd,cats,2024-05-01T10:00\ne,dogs,2024-05-01 11:00\nf,cows,2024-05-01\n"
    dataset = load_dataset(write(tmp_path / "data", **CSV | {"corpus_csv": corpus}))
    list(dataset.documents.values())
    notes = [repair for repair in dataset.repairs if repair.code == "times"]
    queries = "query_id,question,time\nq,cats?,2024-05-01T10:00\nr,dogs?,2024-05-01T10:00\n"
    dataset = load_dataset(write(tmp_path / "more", **CSV | {"queries_csv": queries}))
    notes += [repair for repair in dataset.repairs if repair.code == "times"]
    assert {note.what for note in notes} == {"times without a zone are read as UTC"}
    assert "no-time-zone" in {finding.code for finding in check_dataset(dataset)}


ROUND = BenchmarkDataset(
    "round",
    queries={"q": Query("q", "cats?", time="2024-05-01"), "r": Query("r", "dogs?")},
    documents={"d": Document("d", "cats", time="2024-05-01T10:00Z"), "e": Document("e", "dogs")},
    qrels={"q": {"e": 1.0}, "r": {"e": 1.0}},
)


@pytest.mark.parametrize("form", ["json", "jsonl", "parquet", "beir", "rag_template"])
def test_what_is_written_is_read_back(form, tmp_path):
    target = tmp_path / ("round.json" if form in ("json", "rag_template") else "round")
    find_format(form).save(ROUND, target)
    assert times(load_dataset(target, form)) == times(ROUND)


INTERVALS = [
    RelevanceJudgment("q", "d", 2, valid_from="2024-04-01", valid_to="2024-04-30"),
    RelevanceJudgment("q", "d", 1, valid_from="2024-05-01"),
    RelevanceJudgment("q", "e", 3, valid_to="2024-04-30"),
]


def with_intervals():
    documents = {"d": Document("d", "cats", time="2024-04-01"), "e": Document("e", "dogs")}
    dataset = BenchmarkDataset("round", queries=dict(ROUND.queries), documents=documents, qrels={"r": {"e": 1.0}})
    for judgment in INTERVALS:
        dataset.add_judgment(judgment)
    return dataset


@pytest.mark.parametrize("form", ["json", "jsonl", "parquet"])
def test_intervals_are_written_and_read_back(form, tmp_path):
    target = tmp_path / ("round.json" if form == "json" else "round")
    find_format(form).save(with_intervals(), target)
    dataset = load_dataset(target, form)
    assert dataset.intervals == with_intervals().intervals
    assert dataset.qrels == {"q": {"d": 1}, "r": {"e": 1}}
    earlier = load_dataset(target, form, as_of="2024-04-30")
    assert earlier.qrels == {"q": {"d": 2, "e": 3}, "r": {"e": 1}}
    assert dataset.valid_judgments.notes == [
        "1 of 2 judged pairs with valid_from or valid_to does not hold at the time of the query and is left out (q/e)."
    ]


def test_intervals_in_a_table_beside(tmp_path):
    rows = "query_id,doc_id,relevance,valid_from,valid_until\nq,d,2,2024-05-01,\nq,d,1,,2024-04-30\n"
    files = {name: content for name, content in CSV.items() if name != "qrels_csv"}
    dataset = load_dataset(write(tmp_path / "data", **files, judgments_csv=rows))
    assert dataset.qrels == {"q": {"d": 2}}
    frames = BenchmarkDataset.from_frames(
        [{"query_id": "q", "query": "cats?", "time": "2024-04-30"}],
        [{"id": "d", "text": "cats"}],
        [{"query_id": "q", "doc_id": "d", "grade": 2, "valid_from": DAY}, {"query_id": "q", "doc_id": "e", "grade": 1}],
    )
    assert frames.qrels == {"q": {"e": 1}}


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("q,d,2,2024-05-02,2024-05-01", r"csv:2: valid_to of document d for query q \(2024-05-01\) is before valid_from"),
        (
            "q,d,2,,2024-05-01\nq,d,1,2024-05-01,",
            r"csv:3: document d has two judgments for query q that hold at the same time",
        ),
        ("q,d,2,,\nq,d,1,2024-05-01,", r"csv:3: document d is judged twice for query q"),
        ("q,d,2,2024-05-01,\nq,d,1,,", r"csv:3: document d is judged twice for query q"),
        ("q,d,2,yesterday,", r"csv:2: the field valid_from: 'yesterday' is not a time"),
    ],
)
def test_bad_intervals_are_faults(rows, words, tmp_path):
    files = {name: content for name, content in CSV.items() if name != "qrels_csv"}
    table = f"query_id,doc_id,relevance,valid_from,valid_to\n{rows}\n"
    with pytest.raises(DataError, match=words):
        load_dataset(write(tmp_path / "data", **files, judgments_csv=table))


def test_touching_moments_do_not_overlap():
    dataset = with_intervals()
    noon = "2024-05-01T12:00Z"
    dataset.add_judgment(RelevanceJudgment("r", "d", 1, valid_to=noon))
    dataset.add_judgment(RelevanceJudgment("r", "d", 2, valid_from=noon))
    assert dataset.with_as_of(noon).qrels["r"] == {"d": 2, "e": 1}


def test_a_query_without_a_time_needs_a_day(tmp_path):
    dataset = with_intervals()
    dataset.add_judgment(RelevanceJudgment("r", "d", 1, valid_from="2024-05-01"))
    find_format("json").save(dataset, tmp_path / "round.json")
    with pytest.raises(
        DataError, match=r"query r has no time, but its judgment of document d holds only for a time.*--as-of 2024"
    ):
        load_dataset(tmp_path / "round.json")
    assert load_dataset(tmp_path / "round.json", as_of="2024-05-01").qrels["r"] == {"d": 1, "e": 1}


def test_plain_judgments_cannot_hold_for_a_time(tmp_path):
    (tmp_path / "qrels.csv").write_text("query_id,doc_id,relevance,valid_from\nq,d,1,2024-05-01\n")
    for source in (
        tmp_path / "qrels.csv",
        pd.DataFrame([{"query_id": "q", "doc_id": "d", "grade": 1, "valid_to": "2024-05-01"}]),
    ):
        with pytest.raises(DataError, match="hold only for a time, so they need the times of queries"):
            Qrels(source)


# as of a time


def news():
    documents = {f"d{month}": Document(f"d{month}", f"news {month}", time=f"2024-{month:02}-01") for month in range(1, 7)}
    queries = {f"q{month}": Query(f"q{month}", "news", time=f"2024-{month:02}-15") for month in (2, 4)}
    return BenchmarkDataset(
        "news",
        queries={**queries, "q": Query("q", "news", evidence=["d5"])},
        documents={**documents, "old": Document("old", "news")},
        qrels={"q2": {"d1": 1, "d2": 2, "d3": 1}, "q4": {"d4": 1, "old": 1, "d6": 0}},
    )


def test_as_of_the_time_of_each_query():
    dataset = news().with_as_of("query")
    assert dataset.qrels == {"q2": {"d1": 1, "d2": 2}, "q4": {"d4": 1, "old": 1}}
    assert list(dataset.in_scope(dataset.queries["q2"])) == ["d1", "d2", "old"]
    assert list(dataset.in_scope(dataset.queries["q"])) == [*news().documents]
    left_out = "2 judgments of 2 queries are left out, because the document is younger than its query (q2/d3 q4/d6)"
    assert dataset.time_limits.notes == [
        f"as of the time of each query: {left_out}.",
        "as of the time of each query: 1 query has no time and can find documents of any time.",
        "as of the time of each query: 1 document has no time. It counts as older than every query.",
    ]
    assert news().fingerprint("judgments") != dataset.fingerprint("judgments")


def test_as_of_a_day():
    dataset = news().with_as_of("2024-03-01")
    assert dataset.qrels == {"q2": {"d1": 1, "d2": 2, "d3": 1}, "q4": {"old": 1}}
    assert dataset.queries["q"].evidence == ()
    for query in dataset.queries.values():
        assert list(dataset.in_scope(query)) == ["d1", "d2", "d3", "old"]
    assert dataset.with_as_of("2024-03-01") is dataset
    with pytest.raises(UsageError, match="already as of 2024-03-01"):
        dataset.with_as_of("query")


def test_what_is_missing_is_told():
    undated = BenchmarkDataset("undated", queries={"q": Query("q")}, documents={"d": Document("d", time="2024-05-01")})
    with pytest.raises(
        DataError, match=r"as_of=query needs the times of queries, but the only query of undated does not have one.*asked_at"
    ):
        undated.with_as_of("query")
    undated = BenchmarkDataset("undated", queries={"q": Query("q", time="2024-05-01")}, documents={"d": Document("d")})
    for as_of in ("query", "2024-05-01"):
        with pytest.raises(
            DataError,
            match=f"as_of={as_of} needs the times of documents, but the only document of undated does not have one",
        ):
            undated.with_as_of(as_of)
    with pytest.raises(UsageError, match="as_of must be query or a time: 'yesterday' is not a time"):
        undated.with_as_of("yesterday")


def test_the_check_finds_leaks_and_gaps():
    findings = {finding.code: finding for finding in check_dataset(news())}
    assert findings["younger-than-query"].message == "1 relevant document is younger than the query, in 1 query"
    assert [case.found for case in findings["younger-than-query"].cases] == ["2024-03-01 is after 2024-02-15"]
    assert findings["query-without-time"].message == "1 of 3 queries has no time, but others have one"
    assert findings["document-without-time"].message == "1 of 7 documents has no time, but others have one"
    undated = BenchmarkDataset("undated", queries={"q": Query("q", "x")}, documents={"d": Document("d", "y")})
    assert not {finding.code for finding in check_dataset(undated)} & set(findings) - {"no-ground-truth"}


DAYS = st.dates(date(2024, 1, 1), date(2024, 3, 1))


@given(st.lists(st.tuples(DAYS, st.integers(0, 3)), min_size=1, max_size=8), DAYS)
def test_as_of_keeps_exactly_what_is_not_younger(rows, asked):
    documents = {f"d{place}": Document(f"d{place}", time=day) for place, (day, _) in enumerate(rows)}
    judged = {f"d{place}": grade for place, (_, grade) in enumerate(rows)}
    dataset = BenchmarkDataset("law", queries={"q": Query("q", time=asked)}, documents=documents, qrels={"q": judged})
    kept = {doc: grade for doc, grade in judged.items() if documents[doc].time <= asked}
    for as_of in ("query", asked):
        scoped = dataset.with_as_of(as_of)
        assert scoped.qrels["q"] == kept
        assert list(scoped.in_scope(scoped.queries["q"])) == list(kept)
