"""FileDocuments: a mapping like any other, whose documents stay in their file."""

import gc
import gzip
import json
from collections.abc import MutableMapping

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from assay import DataError, Document
from assay.datasets.corpus import FileDocuments
from assay.files.source import FileSource

from ._benchmarks import faults
from ._cases import BOM, write

PACKINGS = {"plain": bytes, "gzip": gzip.compress, "zstd": zstandard.compress, "with a mark in front": BOM.__add__}


def id_of(line):
    return json.loads(line)["id"]


def document_of(line):
    row = json.loads(line)
    return Document(row["id"], row.get("text", ""))


def lines(documents):
    return "".join(f"{json.dumps({'id': doc, 'text': text}, ensure_ascii=False)}\n" for doc, text in documents.items())


def corpus(path, content, pack=bytes):
    content = content.encode() if isinstance(content, str) else content
    return FileDocuments(FileSource.at(write(path / "corpus.jsonl", pack(content))), id_of, document_of)


TEXTS = {"a": "eins", "ä": "zwei\u2028日本", "c": ""}
WANTED = {doc: Document(doc, text) for doc, text in TEXTS.items()}


@pytest.mark.parametrize("pack", PACKINGS.values(), ids=PACKINGS)
def test_it_is_a_mapping(tmp_path, pack):
    found = corpus(tmp_path, lines(TEXTS), pack)
    assert isinstance(found, MutableMapping)
    assert (len(found), list(found), list(found.keys())) == (3, ["a", "ä", "c"], ["a", "ä", "c"])
    assert [found[doc] for doc in reversed(TEXTS)] == list(reversed(WANTED.values()))
    assert found.get("x") is None
    assert ("a" in found, "x" in found, 5 in found) == (True, False, False)
    assert found == WANTED
    with pytest.raises(KeyError):
        found["x"]


@pytest.mark.parametrize("pack", PACKINGS.values(), ids=PACKINGS)
def test_views_can_be_gone_through_again_and_have_a_length(tmp_path, pack):
    found = corpus(tmp_path, lines(TEXTS), pack)
    items, values = found.items(), found.values()
    for _ in range(2):
        assert list(items) == list(WANTED.items())
        assert list(values) == list(WANTED.values())
    assert (len(items), len(values)) == (3, 3)
    assert ("a", WANTED["a"]) in items
    assert WANTED["c"] in values


def test_blank_lines_and_line_ends_of_every_kind(tmp_path):
    found = corpus(tmp_path, '{"id": "a"}\r\n\n   \n{"id": "b", "text": "x"}')
    assert list(found) == ["a", "b"]
    assert found["b"] == Document("b", "x")
    assert [document.doc_id for document in found.values()] == ["a", "b"]


def test_an_empty_file_holds_nothing(tmp_path):
    found = corpus(tmp_path, "")
    assert (len(found), list(found), list(found.items())) == (0, [], [])


def test_going_through_all_of_them_does_not_need_an_index(tmp_path):
    found = corpus(tmp_path, lines(TEXTS))
    found._id_of = None
    assert dict(found.stream()) == WANTED


def test_ids_alone_do_not_decode_documents(tmp_path):
    found = corpus(tmp_path, lines(TEXTS))
    found._document_of = None
    assert (len(found), list(found), "ä" in found) == (3, ["a", "ä", "c"], True)


def test_a_document_is_read_from_its_place(tmp_path):
    decoded = []
    found = corpus(tmp_path, lines({f"d{number}": "x" * number for number in range(50)}))
    found._document_of = lambda line: decoded.append(line) or document_of(line)
    assert found["d7"].text == "x" * 7
    assert len(decoded) == 1


def test_what_is_replaced_keeps_its_place_in_every_view(tmp_path):
    found = corpus(tmp_path, lines(TEXTS))
    found["a"] = Document("a", "new")
    found["z"] = Document("z", "last")
    assert list(found) == [doc for doc, _ in found.items()] == [one.doc_id for one in found.values()] == ["a", "ä", "c", "z"]
    assert [one.text for one in found.values()] == ["new", TEXTS["ä"], "", "last"]
    assert (tmp_path / "corpus.jsonl").read_text() == lines(TEXTS)


KEYS = st.sampled_from("abcxy")
OPERATIONS = st.one_of(
    st.tuples(st.just("set"), KEYS, st.text(max_size=3)),
    st.tuples(st.just("delete"), KEYS),
    st.tuples(st.just("pop"), KEYS),
    st.tuples(st.just("setdefault"), KEYS, st.text(max_size=3)),
    st.tuples(st.just("get"), KEYS),
    st.tuples(st.just("update"), st.dictionaries(KEYS, st.text(max_size=3), max_size=2)),
    st.tuples(st.just("clear")),
)


def apply(mapping, operation):
    """What an operation gives, or the key that it misses."""
    kind, *arguments = operation
    try:
        match kind:
            case "set":
                mapping[arguments[0]] = Document(*arguments)
            case "delete":
                del mapping[arguments[0]]
            case "setdefault":
                return mapping.setdefault(arguments[0], Document(*arguments))
            case "update":
                return mapping.update({key: Document(key, text) for key, text in arguments[0].items()})
            case _:
                return getattr(mapping, kind)(*arguments)
    except KeyError as error:
        return error.args


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@given(
    given=st.dictionaries(st.sampled_from("abc"), st.text(max_size=5), max_size=3),
    operations=st.lists(OPERATIONS, max_size=8),
)
def test_against_a_plain_dict(tmp_path_factory, pack, given, operations):
    found = corpus(tmp_path_factory.mktemp("corpus"), lines(given), pack)
    model = {doc: Document(doc, text) for doc, text in given.items()}
    for operation in operations:
        assert apply(found, operation) == apply(model, operation), operation
        assert len(found) == len(model)
        assert {doc: found[doc] for doc in found} == dict(found.items()) == model
        assert list(found) == [doc for doc, _ in found.items()] == [one.doc_id for one in found.values()]
        assert [doc in found for doc in "abcxyz"] == [doc in model for doc in "abcxyz"]


def test_faults_name_their_lines_and_come_together(tmp_path):
    found = corpus(tmp_path, '{"id": "a"}\nnonsense\n\n{"id": "a"}\n')
    said = faults(lambda path: len(found), tmp_path / "corpus.jsonl")
    assert said == [
        "corpus.jsonl:2: expected a JSON object with an id: Expecting value: line 1 column 1 (char 0)",
        "corpus.jsonl:4: document a appears twice (first at line 1)",
    ]


def test_after_twenty_faults_reading_stops(tmp_path):
    found = corpus(tmp_path, "x\n" * 100)
    assert len(faults(lambda path: list(found), tmp_path / "corpus.jsonl")) == 20


@pytest.mark.parametrize("read", [lambda found: found["b"], lambda found: list(found.items())], ids=["one", "all"])
def test_a_line_that_is_no_document_is_named(tmp_path, read):
    found = corpus(tmp_path, '{"id": "a"}\n{"id": "b"}\n')

    def refuse(line):
        raise ValueError("wrong")

    found._document_of = lambda line: refuse(line) if b'"b"' in line else document_of(line)
    assert faults(lambda path: read(found), tmp_path / "corpus.jsonl") == ["corpus.jsonl:2: no document: wrong"]


def test_a_damaged_file_is_named(tmp_path):
    found = corpus(tmp_path, gzip.compress(lines(TEXTS).encode())[:-10])
    with pytest.raises(DataError, match=r"corpus\.jsonl: the compressed file is damaged"):
        list(found.items())


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_packed_file_is_unpacked_once(tmp_path, monkeypatch, pack):
    found = corpus(tmp_path, lines({f"d{number}": "x" * number for number in range(50)}), pack)
    assert len(found) == 50
    opened = []
    real = FileSource.open
    monkeypatch.setattr(FileSource, "open", lambda self: opened.append(self.compression) or real(self))
    assert [found[f"d{number}"].text for number in (3, 49, 0)] == ["xxx", "x" * 49, ""]
    assert [one for one in opened if one] == opened[:1]
    copy = found._source.plain_path
    del found
    gc.collect()
    assert not copy.exists()
