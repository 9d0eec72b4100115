"""FileSource: where bytes come from, how they are packed, and what is in them."""

import bz2
import gc
import gzip
import io
import json
import lzma
import os
import stat
import tempfile
from pathlib import Path

import polars as pl
import pytest
import zstandard

import assay
from assay import DataError
from assay.files import FileSource, as_source
from assay.files.source import ZstdFile

from ._cases import BOM, QRELS_FILES, RUN_FILES, RUN_NAMES, RUN_ROWS, packed, parquet, write


def kind_of(form):
    return next(kind for word, kind in (("JSONL", "jsonl"), ("JSON", "json"), ("TREC", "trec"), ("", "")) if word in form)


FILES = {
    f"{name}: {form}": (form, name, content) for files in (RUN_FILES, QRELS_FILES) for form, (name, content) in files.items()
}


@pytest.mark.parametrize(("form", "name", "content"), FILES.values(), ids=FILES)
def test_the_kind_is_found_by_ending_and_content(tmp_path, form, name, content):
    tables = ("CSV", "TSV", "BEIR", "table")
    wanted = kind_of(form) or ("table" if form.startswith(tables) else "trec")
    assert FileSource(write(tmp_path / name, content)).kind == wanted


def test_parquet_by_its_ending(tmp_path):
    assert FileSource(parquet(tmp_path / "run.parquet", RUN_ROWS, RUN_NAMES)).kind == "parquet"
    assert FileSource(parquet(tmp_path / "RUN.PARQUET", RUN_ROWS, RUN_NAMES)).kind == "parquet"


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("bm25", "bm25"),
        ("bm25.txt", "bm25"),
        ("bm25.run.gz", "bm25"),
        ("bm25.jsonl.zst", "bm25"),
        ("v1.2.trec", "v1.2"),
        ("qrels.tsv", "qrels"),
        (".txt", ".txt"),
    ],
)
def test_a_run_is_called_what_its_file_is_called(tmp_path, name, wanted):
    source = FileSource(write(tmp_path / name, "x"))
    assert source.name == (wanted if wanted != ".txt" else source.label)


@pytest.mark.parametrize(
    ("pack", "wanted"), [(bytes, None), (packed, "gzip"), (zstandard.compress, "zstd")], ids=["plain", "gzip", "zstd"]
)
@pytest.mark.parametrize("name", ["run.txt", "run.gz", "run.zst"])
def test_compression_is_known_by_the_first_bytes(tmp_path, pack, wanted, name):
    source = FileSource(write(tmp_path / name, pack(b"one\ntwo\n")))
    assert source.compression == wanted
    assert source.content() == b"one\ntwo\n"
    assert list(source.lines()) == [(1, b"one\n"), (2, b"two\n")]
    assert list(source.lines()) == [(1, b"one\n"), (2, b"two\n")]  # as often as one likes


def test_lines_that_say_something_keep_their_numbers(tmp_path):
    source = FileSource(write(tmp_path / "f", BOM + b"# c\n\n \t\r\none #1\r\n#two\n  three"))
    assert list(source.lines()) == [(4, b"one #1\r\n"), (6, b"  three")]
    assert source.first_line == b"one #1\r\n"
    assert source.content().startswith(b"# c")


def test_a_mark_only_counts_at_the_very_beginning(tmp_path):
    source = FileSource(write(tmp_path / "f", BOM + b"one\n" + BOM + b"two\n"))
    assert [line for _, line in source.lines()] == [b"one\n", BOM + b"two\n"]


@pytest.mark.parametrize("content", [b"", b"\n", BOM, BOM + b"\n#x\n"])
def test_nothing_to_say(tmp_path, content):
    source = FileSource(write(tmp_path / "f", content))
    assert source.first_line == b""
    assert list(source.lines()) == []
    assert source.kind == "trec"


def test_streams_live_as_long_as_their_source():
    source = FileSource.spool(io.BytesIO(b"one\ntwo\n"), "<here>")
    path = source.path
    assert source.label == "<here>"
    assert source.content() == b"one\ntwo\n"
    assert path.exists()
    del source
    gc.collect()
    assert not path.exists()


@pytest.mark.parametrize("stream", [io.BytesIO(b"\xc3\xa9\r\n2"), io.StringIO("é\r\n2", newline="")], ids=["bytes", "text"])
def test_streams_are_taken_as_they_are(stream):
    assert FileSource.spool(stream, "x").content() == b"\xc3\xa9\r\n2"


def test_an_empty_stream_is_an_empty_file():
    assert FileSource.spool(io.BytesIO(), "x").content() == b""
    assert FileSource.spool(io.StringIO(), "x").content() == b""


def test_a_stream_is_taken_from_where_it_stands():
    stream = io.BytesIO(b"one\ntwo\n")
    stream.readline()
    assert FileSource.spool(stream, "x").content() == b"two\n"


def test_text_that_cannot_be_written_is_a_data_error():
    with pytest.raises(DataError):
        FileSource.spool(io.StringIO("d\udcff"), "x")


def test_as_source_takes_paths_and_streams_and_leaves_the_rest(tmp_path):
    path = write(tmp_path / "f.json", "{}")
    assert as_source(path).path == as_source(str(path)).path == path
    assert as_source(path).label == str(path)
    assert as_source(io.BytesIO(b"x")).label == "<stream>"
    with path.open("rb") as file:
        assert as_source(file).label == str(path)
        assert as_source(file).kind == "json"
    for other in ({"q1": {}}, [("q1", "d1", 1)], None, 5):
        assert as_source(other) is other
    source = as_source(path)
    assert as_source(source) is source


def test_what_is_no_file_is_said_so(tmp_path):
    with pytest.raises(DataError, match=r"none\.txt: .*[Nn]o such file"):
        as_source(tmp_path / "none.txt")
    with pytest.raises(DataError, match="folder"):
        as_source(tmp_path)
    for path in ("x" * 5000, "x\0y", "", write(tmp_path / "f", "x") / "below"):
        with pytest.raises(DataError):
            as_source(path)


@pytest.mark.parametrize("pack", [packed, zstandard.compress], ids=["gzip", "zstd"])
def test_every_shortened_file_is_noticed(tmp_path, pack):
    packed = pack(b"q1 Q0 d1 1 0.5 t\n" * 3)
    for length in range(6, len(packed)):
        source = FileSource(write(tmp_path / "f", packed[:length]))
        with pytest.raises(DataError, match="damaged"):
            source.content()
        with pytest.raises(DataError, match="damaged"):
            list(source.lines())


@pytest.mark.parametrize("pack", [packed, zstandard.compress], ids=["gzip", "zstd"])
def test_rubbish_behind_a_compressed_file_is_noticed(tmp_path, pack):
    with pytest.raises(DataError, match="damaged"):
        FileSource(write(tmp_path / "f", pack(b"one\n") + b"rubbish")).content()


@pytest.mark.parametrize("size", [0, 1, 5_000_000])
def test_zstd_frames_follow_each_other(tmp_path, size):
    frames = [b"a" * size, b"", b"b" * 3, json.dumps(list(range(1000))).encode()]
    path = write(tmp_path / "f.zst", b"".join(map(zstandard.compress, frames)))
    with io.BufferedReader(ZstdFile(path)) as file:
        assert file.read() == b"".join(frames)


def test_zstd_of_a_stream_without_its_size(tmp_path):
    packer = zstandard.ZstdCompressor().compressobj()
    packed = packer.compress(b"one\n" * 1000) + packer.flush()
    assert FileSource(write(tmp_path / "f", packed)).content() == b"one\n" * 1000


class Device:
    """A stream that would never end; it counts what was taken."""

    def __init__(self, block=b"x", fails_after=3):
        self.block, self.fails_after, self.taken = block, fails_after, 0

    def read(self, size):
        self.taken += 1
        if self.taken > self.fails_after:
            raise OSError(27, "File too large")
        return self.block * size


@pytest.fixture
def empty_tmp(tmp_path, monkeypatch):
    """A folder of its own for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("kind", [stat.S_IFCHR, stat.S_IFBLK], ids=["terminal or zeros", "disk"])
def test_a_device_is_refused_before_it_is_read(monkeypatch, kind, empty_tmp):
    found = os.stat_result((kind | 0o666, 99, 98, 1, 0, 0, 0, 0, 0, 0))
    monkeypatch.setattr(Path, "stat", lambda *_, **__: found)
    monkeypatch.setattr(Path, "open", lambda *_: pytest.fail("it was opened"))
    with pytest.raises(DataError, match=r"^/dev/endless: is a device, which may never end; give a file, a pipe, or - for"):
        FileSource.at("/dev/endless")
    assert list(empty_tmp.iterdir()) == []


def test_what_is_at_standard_input_is_read_under_its_other_name_too(monkeypatch):
    """As `/dev/stdin`, where that is a terminal or `/dev/null`."""
    with Path(os.devnull).open("rb") as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        assert FileSource.at(os.devnull).content() == b""
    with pytest.raises(DataError, match="is a device"):  # standard input is closed by now
        FileSource.at(os.devnull)


def test_a_stream_that_breaks_off_leaves_no_copy(empty_tmp):
    with pytest.raises(DataError, match=r"^<here>: cannot be read: File too large"):
        FileSource.spool(Device(), "<here>")
    assert list(empty_tmp.iterdir()) == []


def test_an_interrupted_copy_leaves_nothing(empty_tmp, monkeypatch):
    def interrupt(source, target, _):
        raise KeyboardInterrupt

    monkeypatch.setattr("shutil.copyfileobj", interrupt)
    with pytest.raises(KeyboardInterrupt):
        FileSource.spool(io.BytesIO(b"x"), "<here>")
    assert list(empty_tmp.iterdir()) == []


def test_nothing_but_zeros_is_told_before_it_is_copied(empty_tmp):
    stream = Device(b"\0")
    with pytest.raises(DataError, match=r"^<here>: begins with nothing but zero bytes"):
        FileSource.spool(stream, "<here>")
    assert stream.taken == 1
    assert list(empty_tmp.iterdir()) == []


# --- compression ---------------------------------------------------------------------------------------------------


PACKERS = {"gzip": gzip.compress, "zstd": zstandard.compress, "xz": lzma.compress, "bzip2": bz2.compress}


@pytest.mark.parametrize("name", PACKERS)
def test_every_compression_is_unpacked_whatever_the_file_is_called(tmp_path, name):
    path = tmp_path / "run"
    path.write_bytes(PACKERS[name](b"q1 Q0 a 1 2 t\n"))
    source = FileSource.at(path)
    assert (source.compression, source.content()) == (name, b"q1 Q0 a 1 2 t\n")
    assert source.plain_path.read_bytes() == source.content()
    assert FileSource.spool(io.BytesIO(path.read_bytes()), "<here>").content() == source.content()


def test_the_ending_of_a_compressed_file_is_no_part_of_its_name():
    for ending in (".gz", ".zst", ".xz", ".bz2"):
        assert FileSource(f"bm25.run{ending}").name == "bm25"


@pytest.mark.parametrize("name", PACKERS)
@pytest.mark.parametrize("damage", ["cut short", "overwritten"])
def test_a_damaged_file_is_called_so(tmp_path, name, damage):
    whole = PACKERS[name](b"".join(b"q1 Q0 d%d 1 2 t\n" % number for number in range(5000)))
    path = tmp_path / "run"
    path.write_bytes(whole[:-9] if damage == "cut short" else whole[:400] + b"x" * 400 + whole[800:])
    with pytest.raises(DataError, match="run: the compressed file is damaged: "):
        FileSource.at(path).content()


def test_other_errors_of_a_bzip2_file_are_no_damage(tmp_path):
    path = tmp_path / "run"
    path.write_bytes(bz2.compress(b"x"))
    source = FileSource.at(path)
    assert source.compression == "bzip2"
    path.unlink()
    with pytest.raises(DataError, match="run: no such file"):
        source.content()


# --- notes ---------------------------------------------------------------------------------------------------------


def test_a_note_is_kept_once_with_the_name_of_the_file():
    source = FileSource("run.txt")
    assert source.notes == ()
    source.note("read so")
    source.note("read so")
    assert source.notes == ("run.txt: read so",)


def test_comments_are_lines_if_they_are_asked_for(tmp_path):
    path = tmp_path / "run"
    path.write_bytes(b"# a\n\nb\n")
    assert list(FileSource(path).lines()) == [(3, b"b\n")]
    assert list(FileSource(path).lines(comments=True)) == [(1, b"# a\n"), (3, b"b\n")]


def test_a_lazy_frame_is_collected_without_a_warning():
    """Warnings are errors here."""
    frame = pl.LazyFrame({"qid": ["q1"], "docid": ["a"], "score": [1.0]})
    assert as_source(frame).columns == ["qid", "docid", "score"]
    assert dict(assay.Run(frame)) == {"q1": {"a": 1.0}}
    assert assay.evaluate({"q1": {"a": 1}}, frame, "mrr")["mrr"] == 1.0
    assert dict(assay.Qrels(frame.rename({"score": "grade"}))) == {"q1": {"a": 1.0}}
