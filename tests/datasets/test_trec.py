"""trec: judgments alone, and folders with topics and documents."""

from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import BenchmarkDataset, Query, RelevanceJudgment
from assay.datasets import Probe, describe_losses, find_format, load_dataset

from ._benchmarks import assert_same, claims
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


@given(
    texts=st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\r\n")), min_size=1, max_size=3)
)
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
