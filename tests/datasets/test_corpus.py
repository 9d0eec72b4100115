"""Documents that stay in their file: a mapping like any other, read when they are asked for."""

import gc
import gzip
import json
import tempfile

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from assay import DataError, Document
from assay.datasets import load_dataset

from ._cases import BOM
from ._files import put_all

PACKINGS = {"": bytes, ".gz": gzip.compress, ".zst": zstandard.compress}


def lines(documents):
    return "".join(f"{json.dumps({'_id': doc, 'text': text}, ensure_ascii=False)}\n" for doc, text in documents.items())


def corpus(folder, content, ending=""):
    """The documents of a BEIR folder."""
    content = content.encode() if isinstance(content, str) else content
    files = {"queries.jsonl": [{"_id": "q"}], f"corpus.jsonl{ending}": PACKINGS[ending](content)}
    return load_dataset(put_all(folder / "beir", files), "beir").documents


def test_a_document_is_decoded_only_when_it_is_asked_for(tmp_path):
    found = corpus(tmp_path, '{"_id": "a", "title": {}}\n{"_id": "b", "text": "x"}\n')
    assert (len(found), list(found), found["b"].text) == (2, ["a", "b"], "x")
    for read in (lambda: found["a"], lambda: list(found.items())):
        with pytest.raises(DataError, match=r"corpus\.jsonl:1: not a document: "):
            read()


KEYS = st.sampled_from("abcxy")
WORDS = st.text(max_size=3)
OPERATIONS = st.one_of(
    st.tuples(st.sampled_from(["delete", "pop", "get"]), KEYS),
    st.tuples(st.sampled_from(["set", "setdefault"]), KEYS, WORDS),
    st.tuples(st.just("update"), st.dictionaries(KEYS, WORDS, max_size=2)),
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


@given(
    given=st.dictionaries(st.sampled_from("abcä"), st.text(max_size=5) | st.just("zwei\u2028日本"), max_size=3),
    operations=st.lists(OPERATIONS, max_size=8),
    ending=st.sampled_from(["", ".gz", ".zst"]),
    mark=st.sampled_from([b"", BOM]),
)
def test_against_a_plain_dict(folder, ending, mark, given, operations):
    found = corpus(folder, mark + lines(given).encode(), ending)
    items = found.items()
    model = {doc: Document(doc, text) for doc, text in given.items()}
    for operation in operations:
        assert apply(found, operation) == apply(model, operation), operation
        assert len(found) == len(items) == len(list(items)) == len(model)  # views can be gone through again
        assert {doc: found[doc] for doc in found} == dict(found.items()) == found == model
        assert list(found) == [doc for doc, _ in found.items()] == [one.doc_id for one in found.values()]
        assert [doc in found for doc in "abcxyz"] == [doc in model for doc in "abcxyz"]


def test_faults_come_together_and_damage_is_named(tmp_path):
    with pytest.raises(DataError, match=r"corpus\.jsonl:2: (?s:.*)corpus\.jsonl:4: document a appears twice"):
        len(corpus(tmp_path, '{"_id": "a"}\nnonsense\n\n{"_id": "a"}\n'))
    with pytest.raises(DataError) as error:
        list(corpus(tmp_path, "x\n" * 100))
    assert len(error.value.faults) == 20
    with pytest.raises(DataError, match=r"corpus\.jsonl: the compressed file is damaged"):
        list(corpus(tmp_path, gzip.compress(lines(dict.fromkeys("abc", "ä")).encode())[:-10]).items())
    assert list(corpus(tmp_path, '{"_id": "a"}\r\n\n   \n{"_id": "b"}').items()) == [(one, Document(one)) for one in "ab"]


def test_a_packed_file_is_unpacked_once_into_a_copy_that_goes(tmp_path, monkeypatch):
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    for ending in (".gz", ".zst"):
        found = corpus(tmp_path, lines({f"d{number}": "x" * number for number in range(50)}), ending)
        assert found["d3"].text == "xxx"
        (tmp_path / "beir" / f"corpus.jsonl{ending}").unlink()
        assert [found[f"d{number}"].text for number in (49, 0)] == ["x" * 49, ""]
        del found
        gc.collect()
        assert list((tmp_path / "tmp").iterdir()) == []
