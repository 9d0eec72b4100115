"""trec: judgments alone, and folders with topics and documents."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import BenchmarkDataset, DataError, Document, Query, RelevanceJudgment
from assay.datasets import Probe, describe_losses, find_format, load_dataset

from ._benchmarks import assert_same, assert_same_content, claims
from ._cases import BOM, trec_run, write
from ._files import put_all

BY_SUBTOPIC = "1 1 a 1\n1 2 a 3\n1 2 b 0\n"


save = find_format("trec").save


def test_judgments_alone_give_ids(tmp_path):
    content = BOM + b"# judged by Ada\r\n1 0 a 1\r\n\r\n2\t0\tb\t0\r\n"
    files = dict.fromkeys(("qrels.txt", "robust04.qrels", "qrels"), content)
    files |= {"test.tsv": b"query-id\tcorpus-id\tscore\n1\ta\t1\n2\tb\t0\n", "some.json": b'{"1": {"a": 1}, "2": {"b": 0}}'}
    for name, text in files.items():
        path = write(tmp_path / name, text)
        assert claims(path) == ["trec"], name
        dataset = load_dataset(path)
        assert dataset.queries == {"1": Query("1"), "2": Query("2")}
        assert dataset.qrels == {"1": {"a": 1}, "2": {"b": 0}}


def test_ids_that_look_like_headers_or_json_are_ids(tmp_path):
    pairs = [("query", "doc"), ("query_id", "doc_id"), ("query-id", "corpus-id"), ("a,b", "c,d"), ("q", "{")]
    for query, doc in pairs:
        made = BenchmarkDataset(queries={query: Query(query)}, qrels={query: {doc: 0.1234567890123, "b": 12345678}})
        for name in ("out.qrels", "out.txt", f"folder of {query}"):
            save(made, tmp_path / name)
            found = load_dataset(tmp_path / name)
            assert (found.format, found.qrels) == ("trec", made.qrels), name


def test_subtopics_are_kept_beside_the_best_grade(tmp_path):
    path = write(tmp_path / "qrels.txt", BY_SUBTOPIC)
    dataset = load_dataset(path)
    assert dataset.subtopics == BenchmarkDataset.from_trec_qrels(path).subtopics
    dataset.save_trec_qrels(tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_text() == BY_SUBTOPIC
    save(dataset, tmp_path / "folder")
    assert load_dataset(tmp_path / "folder").subtopics == dataset.subtopics
    assert assay.evaluate(dataset, {"1": ["a"]}, "subtopic_recall@1")["subtopic_recall@1"] == 1
    plain = load_dataset(write(tmp_path / "plain.txt", "1 0 a 3\n1 0 b 0\n"))
    assert plain.fingerprint("judgments") != dataset.fingerprint("judgments")
    dataset.save_json(tmp_path / "set.json")
    assert "subtopics" in describe_losses(dataset, load_dataset(tmp_path / "set.json"))
    dataset.add_judgment(RelevanceJudgment("1", "a", 0))
    assert dataset.subtopics == {("1", "b"): {"2": 0}}


LINE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\r\n")).filter(str.strip)


@given(texts=st.lists(LINE, min_size=1, max_size=3))
def test_plain_topics_are_a_table(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("trec")
    made = BenchmarkDataset("mine", queries={str(number): Query(str(number), text) for number, text in enumerate(texts)})
    save(made, path)
    assert sorted(file.name for file in path.iterdir()) == ["dataset.json", "topics.tsv"]
    assert_same(load_dataset(path), made)


def test_what_is_no_judgment_is_not_claimed(tmp_path):
    texts = [trec_run(), "", "four words of prose", "a, b, c, 1", "query_id,doc_id\n1,2\n", '{"a": 1}']
    objects = ['{"q1": {"d1": 0.5}}', '{"q1": {"d1": true}}', '{"q1": {}}', '{"q1": ["d1"]}', "{}", "{"]
    files = [*(("file.txt", text) for text in texts), *(("some.json", text) for text in objects), ("main.py", "")]
    for name, content in files:
        path = put_all(tmp_path / "in", {name: content}) / name
        for looked_at in (path, path.parent):
            assert not find_format("trec").detect(Probe(looked_at)), content


CATS, DOGS = "Why do cats sleep?", "Who feeds dogs?"
SGML = "<{0}><NUM>1</NUM><TITLE>" + CATS + "</TITLE></{0}>\n<{0}><NUM>2</NUM><TITLE>" + DOGS + "</TITLE></{0}>"
WEB = '<topics><topic number="1"><query>{}</query></topic>\n<topic number="2"><query>{}</query></topic></topics>'
WWW = "<queries><query><qid>1</qid><content>{}</content></query>\n<query><qid>2</qid><content>{}</content></query></queries>"
TOPICS = {
    "topics.txt": f"<top>\n<num> Number: 1\n<title> {CATS}\n</top>\n<top><num> Number: 2 <title> {DOGS} </top>",
    "topics.web.xml": WEB.format(CATS, DOGS),
    "topics.sgml": SGML.format("TOPIC"),
    "topics.ntcir.xml": f"<TOPICSET>{SGML.format('TOPIC')}</TOPICSET>",
    "queries.xml": WWW.format(CATS, DOGS),
    "topics.colon.txt": f"1:{CATS}\n2:{DOGS}\n",
    "topics.tsv": f"1\t{CATS}\n2\t{DOGS}\n",
    "topics.json": [{"id": 1, "title": CATS}, {"id": 2, "title": DOGS}],
    "queries.json": {"1": CATS, "2": DOGS},
}
QRELS = "1 0 d1 1\n2 0 d2 1\n"


@pytest.mark.parametrize("name", TOPICS)
def test_topics_of_every_layout_give_the_same_queries(tmp_path, name):
    path = put_all(tmp_path / "in", {name: TOPICS[name], "qrels.txt": QRELS})
    assert claims(path) == ["trec"]
    dataset = load_dataset(path)
    assert dataset.queries == {"1": Query("1", CATS), "2": Query("2", DOGS)}
    assert not dataset.repairs


def sgml(doc_id, text, title=""):
    headline = f"<HEADLINE>{title}</HEADLINE>\n" if title else ""
    return f"<DOC>\n<DOCNO> {doc_id} </DOCNO>\n{headline}<TEXT>\n{text}\n</TEXT>\n</DOC>\n"


FIRST = sgml("d1", "Cats sleep all day.", "Cats &amp; sleep") + sgml("d2", "Farmers feed dogs.")
COLLECTION = {
    "qrels.txt": QRELS,
    "topics.tsv": TOPICS["topics.tsv"],
    "docs/1.gz": gzip.compress(FIRST.encode()),
    "docs/more/2": sgml("d3", "Größe").encode("latin-1"),
}
D1 = Document("d1", "Cats sleep all day.", title="Cats & sleep")


def test_sgml_documents_are_evaluated_and_stay_in_their_files(tmp_path):
    path = put_all(tmp_path / "in", COLLECTION)
    dataset = load_dataset(path)
    assert not isinstance(dataset.documents, dict)
    assert list(dataset.documents) == ["d1", "d2", "d3"]
    assert (dataset.documents["d1"], dataset.documents["d3"].text) == (D1, "Größe")
    assert dict(dataset.documents.items()) == {doc: dataset.documents[doc] for doc in ("d1", "d2", "d3")}
    assert [(repair.place, repair.is_loss) for repair in dataset.repairs] == [(str(path / "docs/more/2"), False)]
    assert assay.run(str(path), "bm25", "mrr")["mrr"] == 1.0
    save(dataset, tmp_path / "out")
    assert_same_content(load_dataset(tmp_path / "out"), dataset)
    assert dataset.documents.place_of("d2") == f"{path / 'docs/1.gz'}:8"
    dataset.add_document(Document("d1", "New"))
    dataset.add_document(Document("d4", "Fourth"))
    del dataset.documents["d2"]
    texts = {doc: document.text for doc, document in dataset.documents.items()}
    assert texts == {"d1": "New", "d3": "Größe", "d4": "Fourth"}
    assert (len(dataset.documents), dataset.documents.place_of("d1"), dataset.documents.place_of("d2")) == (3, None, None)
    with pytest.raises(KeyError):
        dataset.documents["d2"]


def test_faults_of_sgml_documents_name_their_lines(tmp_path):
    docs = sgml("d1", "x") + "<DOC>\n<TEXT>x</TEXT></DOC>\n" + sgml("d1", "y") + "<DOC>\n<DOCNO>d4</DOCNO>\n"
    path = put_all(tmp_path / "in", {"qrels.txt": QRELS, "documents.sgml": docs})
    with pytest.raises(DataError) as error:
        load_dataset(path)
    assert [fault.line for fault in error.value.faults] == [7, 9, 15]


def test_the_text_of_a_background_query_is_its_article(tmp_path):
    topics = "".join(f"<top>\n<num> Number: {n} </num>\n<docid>d{n}</docid>\n</top>\n" for n in (1, 2, 9))
    path = put_all(tmp_path / "in", {**COLLECTION, "topics.tsv": topics})
    dataset = load_dataset(path)
    assert [query.text for query in dataset.queries.values()] == [
        "Cats & sleep\nCats sleep all day.",
        "Farmers feed dogs.",
        "",
    ]
    assert [repair.is_loss for repair in dataset.repairs] == [False, True]
    notes = assay.evaluate(dataset, {"1": ["d1"], "2": ["d3"]}, "mrr").notes
    assert sum("background linking" in note for note in notes) == 1
    for files in ({"docs/1.gz": b"", "docs/more/2": b""}, {"topics.tsv": "1\t\n2\t \n"}):
        with pytest.raises(DataError):
            load_dataset(put_all(tmp_path / "in", {**COLLECTION, "topics.tsv": topics, **files}))
