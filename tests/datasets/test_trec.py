"""trec: judgments alone, and folders with topics and documents."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay import BenchmarkDataset, Document, Query, RelevanceJudgment
from assay.datasets import Probe, Repair, describe_losses, find_format, load_dataset

from ._benchmarks import SAMPLES, assert_same, claims
from ._cases import BOM, trec_run, write
from ._files import put, put_all

SAMPLE = SAMPLES / "trec"
BY_SUBTOPIC = "1 1 a 1\n1 2 a 3\n1 2 b 0\n"


def load(folder, **files):
    """A folder with these files: `topics_tsv` is topics.tsv."""
    return load_dataset(put_all(folder, {name.replace("_", "."): content for name, content in files.items()}), "trec")


def topics(folder, content, name="topics_txt"):
    """The queries that a file of topics gives."""
    return list(load(folder / "in", **{name: content}).queries.values())


def save(dataset, path):
    find_format("trec").save(dataset, path)


def test_the_sample(tmp_path):
    dataset = load_dataset(SAMPLE)
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
    assert (dataset.name, dataset.repairs) == ("trec", [])
    save(dataset, tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["dataset.json", "docs.jsonl", "qrels.txt", "topics.jsonl"]
    assert (tmp_path / "qrels.txt").read_text() == (SAMPLE / "qrels.txt").read_text()


# --- judgments alone -------------------------------------------------------------------------------------------------


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


def test_a_path_with_an_ending_gets_the_judgments_alone(tmp_path):
    dataset = BenchmarkDataset(qrels={"1": {"a": 0.1234567890123, "b": 12345678}})
    for name in ("out.txt", "out.qrels"):
        save(dataset, tmp_path / name)
        assert load_dataset(tmp_path / name).qrels == dataset.qrels


def test_ids_that_look_like_headers_or_json_are_ids(tmp_path):
    pairs = [("query", "doc"), ("query_id", "doc_id"), ("query-id", "corpus-id"), ("a,b", "c,d"), ("q", "{")]
    for query, doc in pairs:
        made = BenchmarkDataset(queries={query: Query(query)}, qrels={query: {doc: 1}})
        for name in ("out.qrels", "out.txt", f"folder of {query}"):
            save(made, tmp_path / name)
            found = load_dataset(tmp_path / name)
            assert (found.format, found.qrels) == ("trec", made.qrels), name


def test_subtopics_are_kept_beside_the_best_grade(tmp_path):
    path = write(tmp_path / "qrels.txt", BY_SUBTOPIC)
    dataset = load_dataset(path)
    assert dataset.qrels == {"1": {"a": 3, "b": 0}}
    assert dataset.subtopics == {("1", "a"): {"1": 1, "2": 3}, ("1", "b"): {"2": 0}}
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


# --- topics ----------------------------------------------------------------------------------------------------------

SGML = [
    "<top>\n<num> Number: 7\n<title> Why?\n<desc> Description:\nTell\n  why.\n</top>",
    "<top><num>7</num><title>Why?</title><desc>Tell why.</desc></top>",
    "<top> <num> Number: 7 <title> Topic: Why? <desc> Description: Tell why.",
    "<TOP>\r\n<NUM>Number: 7</NUM>\r\n<TITLE>Why?</TITLE>\r\n<DESC>Tell\r\nwhy.</DESC>\r\n</TOP>\r\n",
    '\n<top lang="en"><num>7</num><EN-title>Why?</EN-title><EN-desc>Tell why.</EN-desc></top>',
]
XML = """<?xml version="1.0" encoding="UTF-8"?>
<topics><!-- <b> -->
  <topic number="1" type="faceted"><query>Ängste
     &amp; mehr</query><description>Tell why.</description>
    <subtopic number="1">s1</subtopic><subtopic number="2">s2</subtopic></topic>
  <topic id="2"><title>Who?</title><narr>n</narr></topic>
  <topic number="3">A patient of 45 years.</topic>
  <topic><num>4</num><query>short</query><question>long?</question></topic>
</topics>"""
LATIN = '<?xml version="1.0" encoding="ISO-8859-1"?><topics><topic number="1"><query>Größe</query></topic></topics>'


def test_topics_as_sgml(tmp_path):
    for content in SGML:
        assert topics(tmp_path, content) == [Query("7", "Why?", metadata={"description": "Tell why."})], content
    unknown = (
        "<top><head> Tipster <num> Number: 7 <title> a < b &lt; c & d <narr> Narrative: n1 <narr> n2 <con> Concept(s): x, y"
    )
    metadata = {"head": "Tipster", "narrative": "n1 n2", "concepts": "x, y"}
    assert topics(tmp_path, unknown) == [Query("7", "a < b < c & d", metadata=metadata)]
    dataset = load(tmp_path / "in", topics_txt="<top><num>7<desc>Tell why.</top>")
    assert dataset.queries == {"7": Query("7", "Tell why.", metadata={"description": "Tell why."})}
    said = "topic 7 has no title; its description is used as text"
    assert dataset.repairs == [Repair(f"{tmp_path / 'in' / 'topics.txt'}:1", said)]


def test_topics_are_called_as_their_judgments_are(tmp_path):
    content = "".join(f"<top><num>{number}<title>t\n" for number in ("051", "052", "52", "053"))
    dataset = load(tmp_path / "in", topics_txt=content, qrels_txt="51 0 a 1\n52 0 a 1\n")
    assert list(dataset.queries) == ["51", "052", "52", "053"]
    assert [one.what for one in dataset.repairs] == ["topic 051 is called 51, as its judgments are"]


def test_topics_as_xml(tmp_path):
    faceted = {"description": "Tell why.", "subtopics": ["s1", "s2"]}
    assert topics(tmp_path, XML, "topics_xml") == [
        Query("1", "Ängste & mehr", query_type="faceted", metadata=faceted),
        Query("2", "Who?", metadata={"narrative": "n"}),
        Query("3", "A patient of 45 years."),
        Query("4", "short", metadata={"question": "long?"}),
    ]
    assert topics(tmp_path, LATIN.encode("latin-1")) == [Query("1", "Größe")]


def test_topics_as_tables_and_lines(tmp_path):
    content = BOM + "1\tWhy  <top>?\r\n\r\n2\t é\r\n#3\t\r\n".encode()
    for name in ("topics.tsv", "topics.txt", "topics.dev.tsv", "web.topics", "queries.dev.tsv", "dl-queries.tsv"):
        path = put_all(tmp_path / "in", {name: content})
        assert claims(path)[0] == "trec", name
        assert list(load_dataset(path).queries.values()) == [Query("1", "Why  <top>?"), Query("2", " é"), Query("#3")], name
    assert topics(tmp_path, "query_id\ttext\nq\tx\n", "topics_tsv") == [Query("q", "x")]
    lines = '{"id": 1, "title": "Why?", "narrative": "n"}\n'
    assert topics(tmp_path, lines, "topics_jsonl") == [Query("1", "Why?", metadata={"narrative": "n"})]


LINES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\r\n"))


@settings(max_examples=10)
@given(
    texts=st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\r\n")), min_size=1, max_size=3)
)
def test_plain_topics_are_a_table(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("trec")
    made = BenchmarkDataset("mine", queries={str(number): Query(str(number), text) for number, text in enumerate(texts)})
    save(made, path)
    assert sorted(file.name for file in path.iterdir()) == ["dataset.json", "topics.tsv"]
    assert_same(load_dataset(path), made)


# --- folders ---------------------------------------------------------------------------------------------------------


def test_documents_as_tables_and_lines(tmp_path):
    for name, content in {
        "collection_tsv": BOM + b"a\tone\ttwo\r\n\r\nb\t\n",
        "docs_jsonl": b'{"docno": "a", "text": "one\\ttwo"}\n{"id": "b"}',
    }.items():
        dataset = load(tmp_path / "in", qrels_txt="1 0 a 1\n", **{name: content})
        assert list(dataset.documents.values()) == [Document("a", "one\ttwo"), Document("b")]
        assert dataset.documents["a"].text == "one\ttwo"


@pytest.mark.parametrize(
    "names",
    [
        ("queries.dev.small.tsv", "qrels.dev.small.tsv", "collection.tsv"),
        ("topics.robust04.txt", "qrels.robust04.txt"),
        ("queries.tsv", "qrels.tsv"),
        ("queries.jsonl", "qrels.txt"),
        ("queries.tsv", "qrels/dev.tsv", "collection.tsv"),
    ],
    ids=["MS MARCO", "robust", "plain tables", "lines with TREC judgments", "judgments in a folder"],
)
def test_folders_people_have(tmp_path, names):
    content = '{"id": "1", "text": "Why?"}' if "jsonl" in names[0] else "1\tWhy?\n"
    judged = "query_id\tdoc_id\trel\n1\ta\t1\n" if names[1] == "qrels.tsv" else "1\t0\ta\t1\n"
    for name, text in zip(names, (content, judged, "a\tBecause.\n"), strict=False):
        put(tmp_path / name, text)
    assert claims(tmp_path)[0] == "trec"
    dataset = load_dataset(tmp_path)
    assert (dataset.queries, dataset.qrels) == ({"1": Query("1", "Why?")}, {"1": {"a": 1}})
    assert len(dataset.documents) == len(names) - 2


def test_what_is_no_judgment_is_not_claimed(tmp_path):
    texts = [trec_run(), "", "four words of prose", "a, b, c, 1", "query_id,doc_id\n1,2\n", '{"a": 1}']
    objects = ['{"q1": {"d1": 0.5}}', '{"q1": {"d1": true}}', '{"q1": {}}', '{"q1": ["d1"]}', "{}", "{"]
    for name, content in [
        *(("file.txt", text) for text in texts),
        *(("some.json", text) for text in objects),
        ("main.py", ""),
    ]:
        path = put_all(tmp_path / "in", {name: content}) / name
        for looked_at in (path, path.parent):
            assert not find_format("trec").detect(Probe(looked_at)), content
