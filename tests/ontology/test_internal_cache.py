"""OntologyCache: faults of every kind cost time, never an answer; several may write at once."""

import subprocess
import sys

import msgspec
import pytest

from assay import DataError
from assay.ontology import Synonym, TermRecord, build_ontology, reading
from assay.ontology import cache as ontology_cache
from assay.ontology.cache import pack_ontology, read_cached, unpack_ontology, write_cached

DIGEST = "0" * 32


def ontology():
    return build_ontology(
        [
            TermRecord("X:1", "Everything"),
            TermRecord("X:2", "Fièvre", ("X:1", "X:404"), (Synonym("Heat", "BROAD"),), "Too\twarm", ("X:20",)),
            TermRecord("X:9", "obsolete Chill", is_obsolete=True, replaced_by=("X:2",), consider=("X:1",)),
        ],
        "x",
        "1",
    )


def same(one, other):
    names = ("ids", "labels", "definitions", "synonyms", "alternatives", "obsolete", "name", "version", "notes")
    arrays = ("synonym_start", "parent_start", "parents", "depth")
    return all(getattr(one, name) == getattr(other, name) for name in names) and all(
        getattr(one, name).tolist() == getattr(other, name).tolist() for name in arrays
    )


@pytest.fixture(autouse=True)
def file(tmp_path, monkeypatch):
    """Where the ontology is kept."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "ontologies" / f"{DIGEST}.bin"


def test_there_and_back_but_for_an_alternative_that_is_no_term():
    write_cached(ontology(), DIGEST)
    assert same(read_cached(DIGEST), ontology())
    assert read_cached(DIGEST).digest == DIGEST
    odd, single = build_ontology([TermRecord("a", "two\nlines"), TermRecord("b", "")]), build_ontology([TermRecord("a")])
    for one in (odd, single):
        assert same(unpack_ontology(pack_ontology(one), ""), one)
    for alternative in (-1, 2, "X:2"):
        content = msgspec.msgpack.decode(pack_ontology(ontology())) | {"alternatives": {"X:20": alternative}}
        with pytest.raises(ValueError, match=r"not a term|alternatives"):
            unpack_ontology(msgspec.msgpack.encode(content), "")


SPOILED = [
    lambda content: b"",
    lambda content: b"PK\x03\x04 somebody else's",
    lambda content: content[:-1],
    lambda content: content[:60] + b"?" + content[61:],
    lambda content: content.replace(b"assay ontology 2", b"assay ontology 1"),
    lambda content: content[:17],
]
"""Empty, foreign, cut, one byte changed, another layout, the head alone."""


def test_what_is_not_whole_is_not_used_and_is_replaced(file):
    assert read_cached(DIGEST) is None
    for number, spoil in enumerate(SPOILED):
        write_cached(ontology(), DIGEST)
        file.write_bytes(spoil(file.read_bytes()))
        assert read_cached(DIGEST) is None, number
        write_cached(ontology(), DIGEST)
        assert same(read_cached(DIGEST), ontology()), number
    content = msgspec.msgpack.decode(pack_ontology(ontology()))
    content["arrays"][3] += content["arrays"][3]
    misfit = msgspec.msgpack.encode(content)
    for body in (b"\x80", b"\xc0", b"\x81\xa5texts\x90", b"garbage", misfit):  # a sound seal on something else
        file.write_bytes(ontology_cache.CACHE_HEADER + ontology_cache._checksum(body) + body)
        assert read_cached(DIGEST) is None, body


def test_a_place_that_cannot_be_written_to(file, tmp_path, monkeypatch):
    """A folder in place of the file, a file in place of the folder, and nobody at home."""

    def homeless():
        raise RuntimeError("Could not determine home directory.")

    file.mkdir(parents=True)
    write_cached(ontology(), DIGEST)
    assert read_cached(DIGEST) is None
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "file"))
    write_cached(ontology(), DIGEST)
    assert read_cached(DIGEST) is None
    monkeypatch.delenv("ASSAY_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(ontology_cache.Path, "home", homeless)
    write_cached(ontology(), DIGEST)
    assert read_cached(DIGEST) is None


@pytest.mark.slow
def test_several_write_and_read_at_once(file, tmp_path):
    code = (
        "from assay.ontology.cache import read_cached, write_cached\n"
        "from assay.ontology import TermRecord, build_ontology\n"
        "one = build_ontology([TermRecord(f'X:{n}', 'label ' * 50) for n in range(500)])\n"
        f"for _ in range(40):\n    write_cached(one, '{DIGEST}')\n    assert len(read_cached('{DIGEST}')) == 500\n"
    )
    children = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
    assert [child.wait() for child in children] == [0, 0, 0]
    assert [one.name for one in file.parent.iterdir()] == [file.name]


def test_where_the_cache_is(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    for own, shared, folder in (
        (str(tmp_path / "own"), None, tmp_path / "own"),
        ("~/zz", None, tmp_path / "zz"),
        (None, str(tmp_path / "xdg"), tmp_path / "xdg" / "assay"),
        (None, "relative", tmp_path / ".cache" / "assay"),
    ):
        for name, value in {"ASSAY_CACHE": own, "XDG_CACHE_HOME": shared}.items():
            monkeypatch.delenv(name, raising=False)
            if value:
                monkeypatch.setenv(name, value)
        assert ontology_cache.cache_folder() == folder


def test_a_reader_that_panics_is_told_as_a_bad_file_and_an_interrupt_is_none(monkeypatch):
    """The reader is written in Rust: where it gives up, what is raised is no Exception."""

    class PanicException(BaseException):
        pass

    for raised, told in ((PanicException("called `Option::unwrap()`"), DataError), (KeyboardInterrupt(), KeyboardInterrupt)):
        monkeypatch.setattr(reading, "_read", lambda _, raised=raised: (_ for _ in ()).throw(raised))
        with pytest.raises(told):
            reading.parse_ontology(b"format-version: 1.2\n", "x.obo")
