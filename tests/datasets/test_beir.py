"""beir: a folder with corpus.jsonl, queries.jsonl and qrels/*.tsv, as BEIR, MTEB and CoIR have it."""

import gzip
import json
from dataclasses import replace

import polars as pl
import pytest
import zstandard
from hypothesis import given

import assay
from assay import DataError, Document, Query, RelevanceJudgment, Span, UnknownName, UsageError
from assay.datasets import BenchmarkDataset
from assay.datasets.corpus import FileDocuments
from assay.datasets.format import load_dataset
from assay.datasets.formats.beir import EXAMPLE, read_beir, write_beir

from ._benchmarks import SAMPLES, assert_same, benchmarks, claims, faults
from ._cases import BOM, write

SAMPLE = SAMPLES / "beir"
QUERY, DOCUMENT = '{"_id": "q", "text": "x"}\n', '{"_id": "d", "text": "y"}\n'
QRELS = "query-id\tcorpus-id\tscore\nq\td\t1\n"


def folder(path, **files):
    """A folder with these files; `test` and other splits go to qrels/."""
    (path / "qrels").mkdir(parents=True, exist_ok=True)
    for name, content in {"queries": QUERY, "corpus": DOCUMENT, **files}.items():
        where = f"{name}.jsonl" if name in ("queries", "corpus") else f"qrels/{name}.tsv"
        if content is not None:
            write(path / where, content)
    return path


def test_the_sample():
    assert claims(SAMPLE)[0] == "beir"
    found = load_dataset(SAMPLE)
    assert (found.name, found.format, found.metadata) == ("beir", "beir", {"split": "test"})
    assert found.queries == {
        "q1": Query("q1", "How long do cats sleep?", "factual", metadata={"lang": "en"}, expected="12 to 16 hours a day"),
        "q2": Query("q2", "Wie lange schlafen Katzen?", difficulty="hard", evidence=["d2"]),
        "3": Query("3", "Do dogs sleep?"),
    }
    assert dict(found.documents.items()) == {
        "d1": Document("d1", "Cats sleep 12 to 16 hours a day.", "cats.md", 3, metadata={"lang": "en"}, title="Cats"),
        "d2": Document("d2", "Katzen schlafen länger als Hunde."),
        "d3": Document("d3", "猫は一日に十二時間眠る。"),
    }
    assert found.qrels == {"q1": {"d1": 2, "d2": 0}, "3": {"d2": 1}, "q2": {}}


def test_the_example_reads(tmp_path):
    lines = [line.split(maxsplit=1) for line in EXAMPLE.replace("<tab>", "\t").splitlines()]
    corpus, queries, (_, header), row = lines
    folder(tmp_path, corpus=corpus[1], queries=queries[1], test=f"{header}\n{' '.join(row)}\n".replace(" ", "\t"))
    assert load_dataset(tmp_path).qrels == {"q1": {"d1": 1}}


@given(benchmarks())
def test_what_is_written_reads_back(tmp_path_factory, made):
    made.documents = {doc: replace(one, title=one.title or None) for doc, one in made.documents.items()}
    path = tmp_path_factory.mktemp("beir")
    write_beir(made, path)
    found = read_beir(path)
    assert_same(found, made)
    write_beir(found, path)
    assert_same(read_beir(path), made)


def test_every_digit_of_a_grade_is_kept(tmp_path):
    made = BenchmarkDataset(queries={"q": Query("q")}, qrels={"q": {"a": 0.123456789, "b": 0.1 + 0.2, "c": 1e-9, "d": 3}})
    write_beir(made, tmp_path)
    assert read_beir(tmp_path).qrels == made.qrels
    assert (tmp_path / "qrels" / "test.tsv").read_text().splitlines()[-1] == "q\td\t3"


def test_a_judged_query_with_nothing_relevant_stays_one(tmp_path):
    made = BenchmarkDataset(queries={"q": Query("q", expected="x", metadata={"a": 1}), "p": Query("p")}, qrels={"q": {}})
    write_beir(made, tmp_path)
    found = read_beir(tmp_path)
    assert (found.qrels, found.queries) == ({"q": {}}, made.queries)
    assert assay.evaluate(found, {"q": [{"content": "x"}]}, "mrr", relevance="qrels")["mrr"] == 0.0


def test_without_judgments_there_is_no_table_of_them(tmp_path):
    write_beir(BenchmarkDataset(queries={"q": Query("q")}, qrels={"q": {"d": 1}}), tmp_path)
    write_beir(BenchmarkDataset(queries={"q": Query("q")}), tmp_path)
    assert read_beir(tmp_path).qrels == {}


def test_a_folder_is_written_over_itself(tmp_path):
    write_beir(read_beir(SAMPLE), tmp_path / "copy")
    found = read_beir(tmp_path / "copy")
    found.add_document(Document("d1", "new"))
    found.add_document(Document("d9", "more"))
    found.add_judgment(RelevanceJudgment("q1", "d9", 3))
    write_beir(found, tmp_path / "copy")
    again = read_beir(tmp_path / "copy")
    assert [(document.doc_id, document.text[:3]) for document in again.documents.values()] == [
        *[("d1", "new"), ("d2", "Kat"), ("d3", "猫は一"), ("d9", "mor")]
    ]
    assert again.qrels["q1"]["d9"] == 3


CLASHES = {"difficulty": 5, "relevantIds": [], "scope": "s", "evidence": None, "expected": "x"}


def test_metadata_called_like_fields_stay_what_they_are(tmp_path):
    made = BenchmarkDataset("Mine", "2", {"split": "../../etc", "a": 1})
    made.add_query(Query("q", "x", difficulty="hard", metadata=CLASHES))
    made.add_query(Query("r", metadata=CLASHES))
    made.add_document(Document("d", metadata={"source": "x", "page_number": 7}))
    made.add_judgment(RelevanceJudgment("q", "d", 1, "ann", "today"))
    made.qrels["nobody"] = {}
    made.spans["q"] = [Span("d", 1, 2)]
    write_beir(made, tmp_path / "out")
    assert_same(load_dataset(tmp_path / "out"), made)
    assert {str(one.relative_to(tmp_path)) for one in tmp_path.rglob("*") if one.is_file()} == {
        f"out/{name}" for name in ("dataset.json", "corpus.jsonl", "queries.jsonl", "qrels/test.tsv")
    }


@pytest.mark.parametrize("bad", ["a\tb", "a\nb", "a\rb", "#a", 'a"b', "", " a", "a "])
@pytest.mark.parametrize("side", ["query", "document"])
def test_ids_that_a_table_cannot_hold_are_refused(tmp_path, bad, side):
    qrels = {bad: {"d": 1}} if side == "query" else {"q": {bad: 1}}
    with pytest.raises(DataError, match=r"cannot be held by TSV: .* write JSON instead"):
        write_beir(BenchmarkDataset(qrels=qrels), tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_target_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match="cannot be written"):
        write_beir(load_dataset(SAMPLE), tmp_path / "file")


# What there is to read


@pytest.mark.parametrize(
    ("splits", "read"),
    [
        (["train", "test", "dev"], "test"),
        (["train", "dev"], "dev"),
        (["validation", "train"], "validation"),
        (["train"], "train"),
        (["zeta", "other"], "other"),
    ],
)
def test_the_likeliest_split_is_read(tmp_path, splits, read):
    files = {name: QRELS.replace("\td\t", f"\t{name}\t") for name in splits}
    found = read_beir(folder(tmp_path, **files))
    assert (found.qrels, found.metadata) == ({"q": {read: 1}}, {"split": read})
    write_beir(found, tmp_path / "again")
    assert [file.name for file in (tmp_path / "again" / "qrels").iterdir()] == [f"{read}.tsv"]


def test_judgments_that_are_not_read_are_noted(tmp_path):
    path = folder(tmp_path, test=QRELS, dev=QRELS, train=QRELS)
    write(path / "qrels.tsv", QRELS)
    (noted,) = read_beir(path).repairs
    read = "judgments are read from here, not from qrels/dev.tsv qrels/train.tsv qrels.tsv"
    assert noted.what == f"{read}; {path.name}:dev reads another"
    assert (noted.place, noted.is_loss) == (str(path / "qrels" / "test.tsv"), False)


def test_two_files_of_a_split_are_an_error(tmp_path):
    path = folder(tmp_path, test=QRELS)
    write(path / "qrels" / "test.jsonl", '{"query_id": "q", "doc_id": "d", "relevance": 1}')
    assert faults(read_beir, path) == ["qrels: both test.jsonl and test.tsv hold the split test; keep one"]


@pytest.mark.parametrize("split", ["test", "dev", "train"])
def test_a_split_is_chosen_behind_a_colon(tmp_path, split):
    files = {name: QRELS.replace("\td\t", f"\t{name}\t") for name in ("test", "dev", "train")}
    path = folder(tmp_path / "mine", **files)
    found = load_dataset(f"{path}:{split}")
    assert found.name == ("mine" if split == "test" else f"mine:{split}")
    assert (found.qrels, found.metadata, found.repairs) == ({"q": {split: 1}}, {"split": split}, [])
    assert (found.format, found.path) == ("beir", path)
    assert load_dataset(f"{path}:{split}", "beir").qrels == found.qrels


def test_a_chosen_split_goes_before_what_the_card_says(tmp_path):
    made = BenchmarkDataset("Mine", metadata={"split": "dev"}, queries={"q": Query("q", "x")}, qrels={"q": {"d": 1}})
    write_beir(made, tmp_path / "made")
    assert load_dataset(f"{tmp_path / 'made'}:dev").metadata == {"split": "dev"}
    write(tmp_path / "made" / "qrels" / "train.tsv", QRELS.replace("\td\t", "\te\t"))
    found = load_dataset(f"{tmp_path / 'made'}:train")
    assert (found.name, found.qrels, found.metadata) == ("Mine:train", {"q": {"e": 1}}, {"split": "train"})


def test_a_split_that_is_not_there_is_told_with_those_that_are(tmp_path):
    path = folder(tmp_path / "mine", test=QRELS, dev=QRELS)
    with pytest.raises(UnknownName, match=r"no split of .*mine is called 'dve'\. Did you mean dev\?.*there are dev, test"):
        load_dataset(f"{path}:dve")
    with pytest.raises(UsageError, match=r"behind the colon there must be a split, such as .*mine:dev"):
        load_dataset(f"{path}:")
    bare = folder(tmp_path / "bare")
    with pytest.raises(UnknownName, match="it has no splits, for there is no folder qrels"):
        load_dataset(f"{bare}:test")
    with pytest.raises(UsageError, match=r"cats\.json has no splits, for json knows none: .*:dev is written .*cats\.json"):
        load_dataset(f"{SAMPLES / 'json' / 'cats.json'}:dev")


def test_a_folder_with_a_colon_in_its_name_is_itself(tmp_path):
    folder(tmp_path / "mine", test=QRELS, dev=QRELS)
    path = folder(tmp_path / "mine:dev", train=QRELS)
    assert load_dataset(str(path)).metadata == {"split": "train"}


def test_an_identifier_of_another_package_is_no_split(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder(tmp_path / "ir_datasets", test=QRELS)
    with pytest.raises(assay.AssayError) as error:
        load_dataset("ir_datasets:none")
    assert "split" not in str(error.value)
    assert load_dataset("ir_datasets").format == "beir"


# Tables in several files, as Hugging Face has them


def sharded(path, corpus=2, qrels="qrels", splits=("test",)):
    """A folder as Hugging Face has it, with the corpus in so many files."""
    tables = {
        f"corpus/corpus-{number:05}-of-{corpus:05}": {"_id": [f"d{number}"], "title": ["T"], "text": [f"text {number}"]}
        for number in range(corpus)
    }
    tables["queries/queries-00000-of-00001"] = {"_id": ["q"], "text": ["x"]}
    for split in splits:
        tables[f"{qrels}/{split}-00000-of-00001"] = {"query-id": ["q"], "corpus-id": ["d0"], "score": [len(split)]}
    for name, columns in tables.items():
        file = path / f"{name}.parquet"
        file.parent.mkdir(parents=True, exist_ok=True)
        pl.DataFrame(columns).write_parquet(file)
    return path


@pytest.mark.parametrize("qrels", ["qrels", "default", "data"])
@pytest.mark.parametrize("corpus", [1, 3])
def test_tables_of_hugging_face_are_recognised_and_read(tmp_path, qrels, corpus):
    path = sharded(tmp_path / "hub", corpus, qrels, ("test", "validation"))
    assert claims(path) == ["beir"]
    found = load_dataset(path)
    assert dict(found.documents.items()) == {f"d{n}": Document(f"d{n}", f"text {n}", title="T") for n in range(corpus)}
    assert (found.queries, found.qrels) == ({"q": Query("q", "x")}, {"q": {"d0": 4}})
    (noted,) = found.repairs
    not_read = f"not from {qrels}/validation-00000-of-00001.parquet; hub:validation reads another"
    assert noted.what == f"judgments are read from here, {not_read}"
    assert load_dataset(f"{path}:validation").qrels == {"q": {"d0": 10}}


def test_judgments_in_several_files_are_one_split(tmp_path):
    path = sharded(tmp_path, splits=())
    (path / "qrels").mkdir()
    for number in range(2):
        rows = {"query-id": ["q"], "corpus-id": [f"d{number}"], "score": [number]}
        pl.DataFrame(rows).write_parquet(path / "qrels" / f"test-{number:05}-of-00002.parquet")
    assert load_dataset(path).qrels == {"q": {"d0": 0, "d1": 1}}


def test_faults_of_tables_in_several_files(tmp_path):
    path = sharded(tmp_path, 2, splits=("test",))
    pl.DataFrame({"_id": ["d0"], "text": ["again"]}).write_parquet(path / "corpus" / "corpus-00001-of-00002.parquet")
    twice = "corpus/corpus-00001-of-00002.parquet: document d0 is in another file of the corpus as well; keep one"
    assert faults(read_beir, path) == [twice]
    (path / "corpus" / "corpus-00001-of-00002.parquet").unlink()
    missing = "corpus: corpus-00001-of-00002.parquet is missing; download all of corpus again"
    assert claims(path) == ["beir"]
    assert faults(read_beir, path) == [missing]


def test_a_pair_that_two_files_judge_is_a_fault(tmp_path):
    path = sharded(tmp_path, splits=())
    (path / "qrels").mkdir()
    for number in range(2):
        rows = {"query-id": ["q"], "corpus-id": ["d0"], "score": [1]}
        pl.DataFrame(rows).write_parquet(path / "qrels" / f"test-{number:05}-of-00002.parquet")
    (said,) = faults(read_beir, path)
    assert said.endswith("test-00001-of-00002.parquet: document d0 for query q is judged in another file as well; keep one")
    sharded(path, qrels="default")
    (said,) = faults(read_beir, path)
    assert said.endswith(
        "qrels: both test-00000-of-00002.parquet and default/test-00000-of-00001.parquet hold the split test; keep one"
    )


def test_documents_of_a_table_are_there_once(tmp_path):
    path = folder(tmp_path, corpus=None)
    pl.DataFrame({"_id": ["d", "d"], "text": ["x", "y"]}).write_parquet(path / "corpus.parquet")
    assert faults(read_beir, path) == ["corpus.parquet, record:2: document d appears twice"]


def test_hidden_files_and_folders_are_no_splits(tmp_path):
    path = folder(tmp_path, mine=QRELS)
    write(path / "qrels" / ".DS_Store", b"\0")
    (path / "qrels" / "backup").mkdir()
    assert read_beir(path).qrels == {"q": {"d": 1}}


def test_judgments_may_lie_beside_the_queries_or_be_absent(tmp_path):
    path = folder(tmp_path)
    assert read_beir(path).qrels == {}
    write(path / "qrels.tsv", QRELS)
    assert read_beir(path).qrels == {"q": {"d": 1}}
    assert read_beir(path).metadata == {}


@pytest.mark.parametrize(
    ("ending", "pack"), [("", bytes), ("", BOM.__add__), (".gz", gzip.compress), (".zst", zstandard.compress)]
)
def test_packed_files(tmp_path, ending, pack):
    write(tmp_path / f"queries.jsonl{ending}", pack(QUERY.encode()))
    write(tmp_path / f"corpus.jsonl{ending}", pack((DOCUMENT + '{"_id": "e", "text": "z"}').encode()))
    found = load_dataset(tmp_path)
    assert found.format == "beir"
    assert found.queries == {"q": Query("q", "x")}
    assert (len(found.documents), found.documents["e"].text, found.documents["d"].text) == (2, "z", "y")


def test_documents_stay_in_their_file_until_they_are_asked_for(tmp_path):
    path = folder(tmp_path, corpus="nonsense\n", test=QRELS)
    found = read_beir(path)
    assert isinstance(found.documents, FileDocuments)
    assert assay.evaluate(found, {"q": ["d"]}, "mrr")["mrr"] == 1.0
    with pytest.raises(DataError, match=r"corpus\.jsonl:1"):
        len(found.documents)


def test_parquet_as_mteb_has_it(tmp_path):
    pl.DataFrame({"_id": ["d", "e"], "title": ["T", ""], "text": ["y", "ä"]}).write_parquet(tmp_path / "corpus.parquet")
    pl.DataFrame({"_id": ["q"], "text": ["x"]}).write_parquet(tmp_path / "queries.parquet")
    frame = pl.DataFrame({"query-id": ["q"], "corpus-id": ["d"], "score": [2]})
    (tmp_path / "qrels").mkdir()
    frame.write_parquet(tmp_path / "qrels" / "test.parquet")
    found = read_beir(tmp_path)
    assert found.queries == {"q": Query("q", "x")}
    assert found.documents == {"d": Document("d", "y", title="T"), "e": Document("e", "ä")}
    assert found.qrels == {"q": {"d": 2}}


def test_the_same_in_lines_and_in_parquet_has_the_same_fingerprints(tmp_path):
    for name in ("corpus", "queries"):
        rows = [json.loads(line) for line in (SAMPLE / f"{name}.jsonl").read_text().splitlines()]
        table = [{"_id": str(row["_id"]), "title": row.get("title"), "text": row["text"]} for row in rows]
        pl.DataFrame(table).write_parquet(tmp_path / f"{name}.parquet")
    found, wanted = read_beir(tmp_path), read_beir(SAMPLE)
    assert [found.fingerprint(part) for part in ("queries", "documents")] == [
        wanted.fingerprint(part) for part in ("queries", "documents")
    ]


@pytest.mark.parametrize("name", ["_id", "id", "doc_id", "query_id"])
@pytest.mark.parametrize("value", ["d", 7])
def test_ids_have_several_names_and_may_be_numbers(tmp_path, name, value):
    found = read_beir(folder(tmp_path, corpus=json.dumps({name: value, "text": "y"})))
    assert list(found.documents) == [doc for doc, _ in found.documents.items()] == [str(value)]
    assert found.documents[str(value)].text == "y"


def test_what_is_no_field_of_ours_stays_metadata(tmp_path):
    strange = {"expected": ["x"], "evidence": [1], "scope": 7, "domain": None, "other": 1}
    query = json.dumps({"_id": "q", "text": 5, "metadata": strange})
    document = json.dumps({"_id": "d", "title": None, "metadata": {"source": {"a": 1}, "page_number": "3", "group": "g"}})
    found = read_beir(folder(tmp_path, queries=query, corpus=document))
    assert found.queries == {"q": Query("q", "5", metadata=strange)}
    assert found.documents["d"] == Document("d", metadata={"source": {"a": 1}, "page_number": "3"}, group="g")


def test_fields_beside_the_text_are_kept(tmp_path):
    query = {"_id": "q", "id": 5, "lang": "de", "scope": "s", "none": None, "metadata": {"scope": "t", "lang": "de"}}
    document = {"_id": "d", "url": "http://x", "group": None, "metadata": {"group": "g", "a": 1}}
    found = read_beir(folder(tmp_path, queries=json.dumps(query), corpus=json.dumps(document)))
    assert found.queries == {"q": Query("q", scope="s", metadata={"id": 5, "lang": "de", "scope": "t"})}
    assert found.documents["d"] == Document("d", metadata={"url": "http://x", "group": "g", "a": 1})


def test_metadata_that_are_no_object_are_kept(tmp_path):
    found = read_beir(folder(tmp_path, queries='{"_id": "q", "metadata": "x"}'))
    assert found.queries["q"].metadata == {"metadata": "x"}


@pytest.mark.parametrize("metadata", [None, [], "", {}])
def test_metadata_that_say_nothing(tmp_path, metadata):
    assert read_beir(folder(tmp_path, queries=json.dumps({"_id": "q", "metadata": metadata}))).queries == {"q": Query("q")}


# Faults


def test_a_folder_without_queries_is_refused(tmp_path):
    assert faults(read_beir, tmp_path) == [f"{tmp_path.name}: there is no queries.jsonl in this folder"]


FAULTS = {
    "not JSON": (
        "queries",
        QUERY + "{\nx\n",
        ["queries.jsonl:2: Input data was truncated", "queries.jsonl:3: JSON is malformed: invalid character (byte 0)"],
    ),
    "no object": ("queries", QUERY + "[1]\n", ["queries.jsonl:2: expected an object with named fields, found [1]"]),
    "a value given twice": (
        "queries",
        '{"_id": "q", "lang": "de", "metadata": {"lang": "en"}}',
        ["queries.jsonl:1: 'lang' has one value in the record and another in its metadata; keep one of them"],
    ),
    "no id": ("queries", QUERY + '\n{"text": "x"}\n', ["queries.jsonl:3: there is no _id"]),
    "an empty id": ("queries", '{"_id": ""}', ["queries.jsonl:1: the id of a query or document is empty"]),
    "an id that is none": ("queries", '{"_id": 1.5}', ["queries.jsonl:1: an id is text or a whole number, not 1.5"]),
    "a text that is none": ("queries", '{"_id": "q", "text": ["x"]}', ["queries.jsonl:1: text is text, not ['x']"]),
    "a query twice": ("queries", QUERY + QUERY, ["queries.jsonl:2: query q appears twice"]),
    "not a document": (
        "corpus",
        DOCUMENT + "x\n",
        ["corpus.jsonl:2: expected a JSON object with an id: JSON is malformed: invalid character (byte 0)"],
    ),
    "a document without id": (
        "corpus",
        '{"text": "y"}',
        ["corpus.jsonl:1: expected a JSON object with an id: there is no _id"],
    ),
    "a document with an empty id": (
        "corpus",
        '{"_id": ""}',
        ["corpus.jsonl:1: expected a JSON object with an id: the id of a query or document is empty"],
    ),
    "a document twice": ("corpus", DOCUMENT + DOCUMENT, ["corpus.jsonl:2: document d appears twice (first at line 1)"]),
    "judgments of three kinds": (
        "test",
        QRELS + "q\td\n",
        ["qrels/test.tsv:3: expected 3 columns (query-id, corpus-id, score), found 2"],
    ),
    "judgments that are none": ("test", QRELS + "q\te\thigh\n", ["qrels/test.tsv:3: grade 'high' is not a number"]),
    "no judgments": ("test", QRELS.splitlines()[0], ["qrels/test.tsv: the file holds no judgments"]),
}


@pytest.mark.parametrize(("name", "content", "said"), FAULTS.values(), ids=FAULTS)
def test_a_fault_says_where(tmp_path, name, content, said):
    assert faults(lambda path: len(read_beir(path).documents), folder(tmp_path, **{name: content})) == said


def test_a_document_that_cannot_be_used_is_named_when_it_is_read(tmp_path):
    found = read_beir(folder(tmp_path, corpus=DOCUMENT + '{"_id": "e", "title": {}}\n'))
    assert faults(lambda path: found.documents["e"], tmp_path) == ["corpus.jsonl:2: no document: title is text, not {}"]
    assert found.documents["d"].text == "y"


def test_faults_of_tables_name_their_rows(tmp_path):
    pl.DataFrame({"_id": ["q", "", "p"], "text": ["x", "y", "z"]}).write_parquet(tmp_path / "queries.parquet")
    assert faults(read_beir, tmp_path) == ["queries.parquet, record:2: the id of a query or document is empty"]
    write(tmp_path / "queries.parquet", b"nonsense")
    (said,) = faults(read_beir, tmp_path)
    assert said.startswith("queries.parquet: not a Parquet file")
