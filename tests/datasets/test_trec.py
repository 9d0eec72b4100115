"""trec: judgments alone, and folders with topics and documents."""

import gzip
from functools import partial

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay import UsageError
from assay.datasets.conversion import describe_losses
from assay.datasets.dataset import BenchmarkDataset, Repair
from assay.datasets.format import Probe, load_dataset
from assay.datasets.formats.trec import detect, read_trec, write_trec
from assay.model.records import Document, Query, RelevanceJudgment

from ._benchmarks import SAMPLES, assert_same, benchmarks, claims, faults
from ._cases import BOM, trec_run, write

SAMPLE = SAMPLES / "trec"
QRELS = "1 0 a 1\n2 0 b 0\n"


def folder(path, **files):
    """A folder with these files; `topics_tsv` is topics.tsv."""
    path.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        write(path / name.replace("__", "-").replace("_", "."), content)
    return path


def queries_of(path, topics, name="topics_txt"):
    """The queries that a file of topics gives."""
    return list(read_trec(folder(path, **{name: topics})).queries.values())


def test_the_sample_reads_as_it_says():
    dataset = load_dataset(SAMPLE)
    assert (dataset.format, dataset.name) == ("trec", "trec")
    keepers = {
        "description": "What did keepers of lighthouses do all day & all night?",
        "narrative": "Documents about lamps alone are not relevant.",
    }
    assert list(dataset.queries.values()) == [
        Query("301", "Lighthouse keepers", metadata=keepers),
        Query("302", "Fog signals in Orkney", domain="Seafaring", metadata={"description": "Which signals were used?"}),
    ]
    assert list(dataset.documents.values()) == [
        Document("doc-1", "Keepers trimmed the wick every four hours."),
        Document("doc-2", "A lamp of brass.", title="Lamps"),
        Document("doc-3", "Stronsay had a fog horn.", metadata={"url": "https://example.org/3"}),
    ]
    assert dataset.qrels == {"301": {"doc-1": 2, "doc-2": 0}, "302": {"doc-3": 1, "doc-9": 1}}
    assert dataset.repairs == []


def test_nobody_else_claims_it():
    assert claims(SAMPLE) == claims(SAMPLE / "qrels.txt") == ["trec"]


# --- judgments alone ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["qrels.txt", "robust04.qrels", "qrels", "x.gz", "x.zst"])
def test_judgments_alone_give_ids(tmp_path, name):
    content = BOM + b"# judged by Ada\r\n1 0 a 1\r\n\r\n2\t0\tb\t0\r\n"
    pack = {".gz": gzip.compress, ".zst": zstandard.compress}.get(name[1:], lambda content: content)
    dataset = load_dataset(write(tmp_path / name, pack(content)))
    assert dataset.queries == {"1": Query("1"), "2": Query("2")}
    assert dataset.qrels == {"1": {"a": 1}, "2": {"b": 0}}


def test_a_table_of_judgments_is_judgments(tmp_path):
    path = write(tmp_path / "test.tsv", "query-id\tcorpus-id\tscore\n1\ta\t1\n")
    assert claims(path) == ["trec"]
    assert load_dataset(path).qrels == {"1": {"a": 1}}


@pytest.mark.parametrize(
    "content", [trec_run(), "", "four words of prose", "a, b, c, 1", "query_id,doc_id\n1,2\n", '{"a": 1}']
)
def test_what_is_no_judgment_is_not_claimed(tmp_path, content):
    assert not detect(Probe(write(tmp_path / "file.txt", content)))


BY_SUBTOPIC = "1 1 a 1\n1 2 a 3\n1 2 b 0\n"


def test_subtopics_are_kept_beside_the_best_grade(tmp_path):
    dataset = read_trec(write(tmp_path / "qrels.txt", BY_SUBTOPIC))
    assert dataset.qrels == {"1": {"a": 3, "b": 0}}
    assert dataset.subtopics == {("1", "a"): {"1": 1, "2": 3}, ("1", "b"): {"2": 0}}
    assert dataset.repairs == []
    assert BenchmarkDataset.from_trec_qrels(tmp_path / "qrels.txt").subtopics == dataset.subtopics


def test_subtopics_are_written_as_they_were_read(tmp_path):
    dataset = read_trec(write(tmp_path / "qrels.txt", BY_SUBTOPIC))
    dataset.save_trec_qrels(tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_text() == BY_SUBTOPIC
    write_trec(dataset, tmp_path / "folder")
    assert read_trec(tmp_path / "folder").subtopics == dataset.subtopics


def test_subtopics_reach_the_metrics_of_a_dataset(tmp_path):
    dataset = read_trec(write(tmp_path / "qrels.txt", BY_SUBTOPIC))
    assert assay.evaluate(dataset, {"1": ["a"]}, "subtopic_recall@1")["subtopic_recall@1"] == 1
    plain = read_trec(write(tmp_path / "plain.txt", "1 0 a 3\n1 0 b 0\n"))
    assert plain.fingerprint("judgments") != dataset.fingerprint("judgments")
    dataset.add_judgment(RelevanceJudgment("1", "a", 0))
    assert dataset.subtopics == {("1", "b"): {"2": 0}}


def test_a_format_that_has_no_subtopics_says_so(tmp_path):
    dataset = read_trec(write(tmp_path / "qrels.txt", BY_SUBTOPIC))
    dataset.save_json(tmp_path / "set.json")
    assert "subtopics" in describe_losses(dataset, load_dataset(tmp_path / "set.json"))


# --- topics ---------------------------------------------------------------------------------------------------------

SGML = [
    "<top>\n<num> Number: 7\n<title> Why?\n<desc> Description:\nTell\n  why.\n</top>",
    "<top><num>7</num><title>Why?</title><desc>Tell why.</desc></top>",
    "<top> <num> Number: 7 <title> Topic: Why? <desc> Description: Tell why.",
    "<TOP>\r\n<NUM>Number: 7</NUM>\r\n<TITLE>Why?</TITLE>\r\n<DESC>Tell\r\nwhy.</DESC>\r\n</TOP>\r\n",
    '\n<top lang="en"><num>7</num><EN-title>Why?</EN-title><EN-desc>Tell why.</EN-desc></top>',
]


@pytest.mark.parametrize("topics", SGML)
def test_sgml_with_and_without_closing_tags(tmp_path, topics):
    assert queries_of(tmp_path, topics) == [Query("7", "Why?", metadata={"description": "Tell why."})]


def test_sgml_keeps_what_it_does_not_know(tmp_path):
    topics = (
        "<top><head> Tipster <num> Number: 7 <title> a < b &lt; c & d <narr> Narrative: n1 <narr> n2 <con> Concept(s): x, y"
    )
    metadata = {"head": "Tipster", "narrative": "n1 n2", "concepts": "x, y"}
    assert queries_of(tmp_path, topics) == [Query("7", "a < b < c & d", metadata=metadata)]


def test_a_topic_without_title_is_its_description(tmp_path):
    dataset = read_trec(folder(tmp_path, topics_txt="<top><num>7<desc>Tell why.</top>"))
    assert dataset.queries == {"7": Query("7", "Tell why.", metadata={"description": "Tell why."})}
    assert dataset.repairs == [Repair(f"{tmp_path}/topics.txt:1", "topic 7 has no title; its description is used as text")]


def test_topics_are_called_as_their_judgments_are(tmp_path):
    topics = "".join(f"<top><num>{number}<title>t\n" for number in ("051", "052", "52", "053"))
    dataset = read_trec(folder(tmp_path, topics_txt=topics, qrels_txt="51 0 a 1\n52 0 a 1\n"))
    assert list(dataset.queries) == ["51", "052", "52", "053"]
    assert [one.what for one in dataset.repairs] == ["topic 051 is called 51, as its judgments are"]


def test_xml(tmp_path):
    topics = """<?xml version="1.0" encoding="UTF-8"?>
<topics><!-- <b> -->
  <topic number="1" type="faceted"><query>Ängste
     &amp; mehr</query><description>Tell why.</description>
    <subtopic number="1">s1</subtopic><subtopic number="2">s2</subtopic></topic>
  <topic id="2"><title>Who?</title><narr>n</narr></topic>
  <topic number="3">A patient of 45 years.</topic>
  <topic><num>4</num><query>short</query><question>long?</question></topic>
</topics>"""
    assert queries_of(tmp_path, topics, "topics_xml") == [
        Query("1", "Ängste & mehr", query_type="faceted", metadata={"description": "Tell why.", "subtopics": ["s1", "s2"]}),
        Query("2", "Who?", metadata={"narrative": "n"}),
        Query("3", "A patient of 45 years."),
        Query("4", "short", metadata={"question": "long?"}),
    ]


def test_xml_in_its_own_encoding(tmp_path):
    topics = '<?xml version="1.0" encoding="ISO-8859-1"?><topics><topic number="1"><query>Größe</query></topic></topics>'
    assert queries_of(tmp_path, topics.encode("latin-1")) == [Query("1", "Größe")]


@pytest.mark.parametrize(
    "name", ["topics_tsv", "topics_txt", "topics_dev_tsv", "web_topics", "queries_dev_tsv", "dl__queries_tsv"]
)
def test_tsv(tmp_path, name):
    topics = BOM + "1\tWhy  <top>?\r\n\r\n2\t é\r\n#3\t\r\n".encode()
    assert queries_of(tmp_path, topics, name) == [Query("1", "Why  <top>?"), Query("2", " é"), Query("#3")]
    assert claims(tmp_path)[0] == "trec"


def test_topics_as_json_lines(tmp_path):
    topics = '{"id": 1, "title": "Why?", "narrative": "n"}\n'
    assert queries_of(tmp_path, topics, "topics_jsonl") == [Query("1", "Why?", metadata={"narrative": "n"})]


# --- documents and folders ------------------------------------------------------------------------------------------


def test_documents_as_tsv_and_json_lines(tmp_path):
    rows = {
        "collection_tsv": BOM + b"a\tone\ttwo\r\n\r\nb\t\n",
        "docs_jsonl": b'{"docno": "a", "text": "one\\ttwo"}\n{"id": "b"}',
    }
    for name, content in rows.items():
        path = folder(tmp_path / name, qrels_txt=QRELS, **{name: content})
        dataset = read_trec(path)
        assert list(dataset.documents.values()) == [Document("a", "one\ttwo"), Document("b")]
        assert dataset.documents["a"].text == "one\ttwo"


FOLDERS = {
    "MS MARCO": ("queries_dev_small_tsv", "qrels_dev_small_tsv", "collection_tsv"),
    "robust": ("topics_robust04_txt", "qrels_robust04_txt"),
    "plain tsv": ("queries_tsv", "qrels_tsv"),
    "json lines with TREC judgments": ("queries_jsonl", "qrels_txt"),
}


@pytest.mark.parametrize("names", FOLDERS.values(), ids=FOLDERS)
def test_folders_people_have(tmp_path, names):
    topics = '{"id": "1", "text": "Why?"}' if "jsonl" in names[0] else "1\tWhy?\n"
    judged = "query_id\tdoc_id\trel\n1\ta\t1\n" if names[1] == "qrels_tsv" else "1 0 a 1\n"
    path = folder(tmp_path, **dict(zip(names, (topics, judged, "a\tBecause.\n"), strict=False)))
    assert claims(path)[0] == "trec"
    dataset = load_dataset(path)
    assert (dataset.queries, dataset.qrels) == ({"1": Query("1", "Why?")}, {"1": {"a": 1}})


def test_folders_of_others_are_left_alone(tmp_path):
    beir = folder(tmp_path / "beir", queries_jsonl='{"_id": "1", "text": "Why?"}', corpus_jsonl="")
    folder(beir / "qrels", test_tsv="query-id\tcorpus-id\tscore\n1\ta\t1\n")
    assert claims(beir) == ["beir"]
    assert not detect(Probe(SAMPLES / "jsonl"))
    assert not detect(Probe(folder(tmp_path / "code", main_py="")))


# --- writing --------------------------------------------------------------------------------------------------------


@settings(max_examples=50)
@given(made=benchmarks())
def test_written_is_read(made, tmp_path_factory):
    path = tmp_path_factory.mktemp("trec") / "collection"
    write_trec(made, path)
    assert_same(read_trec(path), made)
    assert claims(path) == ["trec"]


LINES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\r\n"))


@settings(max_examples=50)
@given(texts=st.lists(LINES, min_size=1, max_size=3))
def test_plain_topics_are_a_table(texts, tmp_path_factory):
    path = tmp_path_factory.mktemp("trec")
    made = BenchmarkDataset("mine", queries={str(number): Query(str(number), text) for number, text in enumerate(texts)})
    write_trec(made, path)
    assert sorted(file.name for file in path.iterdir()) == ["dataset.json", "topics.tsv"]
    assert_same(read_trec(path), made)


def test_the_sample_survives(tmp_path):
    dataset = load_dataset(SAMPLE)
    write_trec(dataset, tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["dataset.json", "docs.jsonl", "qrels.txt", "topics.jsonl"]
    assert (tmp_path / "qrels.txt").read_text() == (SAMPLE / "qrels.txt").read_text()
    assert_same(load_dataset(tmp_path), dataset)
    write_trec(dataset, tmp_path)


@pytest.mark.parametrize("name", ["out.txt", "out.qrels"])
def test_a_path_with_an_ending_gets_the_judgments_alone(tmp_path, name):
    dataset = BenchmarkDataset()
    dataset.add_judgment(RelevanceJudgment("1", "a", 0.1234567890123))
    dataset.add_judgment(RelevanceJudgment("1", "b", 12345678))
    write_trec(dataset, tmp_path / name)
    assert read_trec(tmp_path / name).qrels == dataset.qrels


# --- faults ---------------------------------------------------------------------------------------------------------

FAULTS = {
    "judgments": ({"qrels_txt": "1 0 a 1\n1 0 b\n1 0 c high\n"}, "qrels.txt:2: expected 4 columns"),
    "no judgments": ({"qrels_txt": "\n"}, "qrels.txt: the file holds no judgments"),
    "no number": (
        {"topics_txt": "<top>\n<num>1<title>a\n</top>\n<top><title>b</top>"},
        "topics.txt:4: expected a topic with a number",
    ),
    "two words": (
        {"topics_txt": "<top><num>Number: 1 2<title>a"},
        "topics.txt:1: expected a topic with a number, found '1 2'",
    ),
    "twice": ({"topics_txt": "<top><num>1<title>a\n<top><num>1<title>b"}, "topics.txt:2: query 1 appears twice"),
    "columns": ({"topics_tsv": "1\ta\n2\n"}, "topics.tsv:2: expected 2 columns (id, text) with a tab between them, found 1"),
    "XML": ({"topics_xml": "<topics>\n<topic>"}, "topics.xml:2: not XML"),
    "entities": (
        {"topics_xml": '<!DOCTYPE t [<!ENTITY a "b">]><t/>'},
        "topics.xml: topics that define entities are not read",
    ),
    "not UTF-8": ({"topics_txt": b"1\ta\n2\t\xff\n"}, "topics.txt:2: not valid UTF-8; save the topics as UTF-8"),
    "no topics": ({"topics_txt": "\n", "qrels_txt": QRELS}, "topics.txt: there is no query in it"),
    "nothing": ({"run_txt": trec_run()}, "neither judgments (qrels.txt) nor topics (topics.txt) are in this folder"),
    "several topics": ({"topics_tsv": "", "topics_txt": ""}, "several files with topics: topics.tsv, topics.txt; keep one"),
    "several judgments": (
        {"a_qrels": "", "qrels_dev_txt": ""},
        "several files with judgments: a.qrels, qrels.dev.txt; keep one",
    ),
}


@pytest.mark.parametrize(("files", "said"), FAULTS.values(), ids=FAULTS)
def test_a_fault_says_where(tmp_path, files, said):
    assert said in faults(read_trec, folder(tmp_path, **files))[0]


def test_documents_are_checked_when_they_are_asked_for(tmp_path):
    path = folder(tmp_path, qrels_txt=QRELS, collection_tsv="a\tone\nb\n")
    (said,) = faults(lambda path: len(read_trec(path).documents), path)
    assert said.startswith("collection.tsv:2: ")
    assert said.endswith("expected an id, a tab and the text")


@pytest.mark.parametrize("bad", ["a b", "", "\ta", "#1", "a\u00a0b"])
def test_ids_that_cannot_be_written_are_named(tmp_path, bad):
    queries, judgments = BenchmarkDataset(queries={bad: Query(bad)}), BenchmarkDataset(qrels={"1": {bad: 1}})
    for dataset, name in ((queries, "folder"), (judgments, "folder"), (judgments, "out.qrels")):
        (said,) = faults(partial(write_trec, dataset), tmp_path / name)
        assert f"there is {bad!r}; write json or jsonl instead" in said
        assert not (tmp_path / name).exists()


def test_judgments_alone_lose_nothing_silently(tmp_path):
    for qrels, what in (({"1": {"a": 1}, "2": {}}, r"nothing relevant \(2\)"), ({}, "without judgments")):
        with pytest.raises(ValueError, match=what):
            write_trec(BenchmarkDataset(qrels=qrels), tmp_path / "out.qrels")
    with pytest.raises(UsageError, match=r"written plain; leave out \.gz"):
        write_trec(BenchmarkDataset(qrels={"1": {"a": 1}}), tmp_path / "out.qrels.gz")


def test_a_folder_with_other_files_of_a_kind_is_refused(tmp_path):
    dataset = load_dataset(SAMPLE)
    folder(tmp_path, topics_txt="", qrels_txt=QRELS)
    (said,) = faults(lambda path: write_trec(dataset, path), tmp_path)
    assert said.endswith("there are already topics.txt; write to another folder")
    assert (tmp_path / "qrels.txt").read_text() == QRELS


# --- lines that look like something else ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "doc"), [("query", "doc"), ("query_id", "doc_id"), ("query-id", "corpus-id"), ("a,b", "c,d"), ("q", "{")]
)
@pytest.mark.parametrize("name", ["out.qrels", "out.txt", "folder"])
def test_ids_that_look_like_headers_are_ids(tmp_path, query, doc, name):
    made = BenchmarkDataset(queries={query: Query(query)}, qrels={query: {doc: 1}})
    write_trec(made, tmp_path / name)
    found = load_dataset(tmp_path / name)
    assert (found.format, found.qrels) == ("trec", made.qrels)


@pytest.mark.parametrize("query", ["{", "[1]", '{"a"'])
def test_queries_that_look_like_json_are_refused(tmp_path, query):
    made = BenchmarkDataset(queries={query: Query(query)}, qrels={query: {"d": 1}})
    for write_it in (write_trec, BenchmarkDataset.save_trec_qrels):
        assert "write json or jsonl instead" in faults(partial(write_it, made), tmp_path / "out.qrels")[0]
    assert not list(tmp_path.iterdir())


def test_topics_in_a_table_may_have_a_header(tmp_path):
    assert queries_of(tmp_path, "query_id\ttext\nq\tx\n", "topics_tsv") == [Query("q", "x")]


@pytest.mark.parametrize("content", ['{"q1": {"d1": 1, "d2": 0}}', '{"q1": {"d1": 2}, "q2": {"d": 1}}'])
def test_judgments_alone_as_json(tmp_path, content):
    path = write(tmp_path / "qrels.json", content)
    assert claims(path) == ["trec"]
    assert load_dataset(path).qrels["q1"]["d1"] > 0


@pytest.mark.parametrize(
    "content", ['{"q1": {"d1": 0.5}}', '{"q1": {"d1": true}}', '{"q1": {}}', "{}", '{"q1": ["d1"]}', "{"]
)
def test_json_that_may_be_anything_is_not_claimed(tmp_path, content):
    assert not detect(Probe(write(tmp_path / "some.json", content)))


def test_judgments_alone_cannot_hold_queries_with_nothing_relevant(tmp_path):
    made = BenchmarkDataset(qrels={"q": {"d": 1}, "r": {}})
    assert "nothing relevant (r)" in faults(made.save_trec_qrels, tmp_path / "out.qrels")[0]
