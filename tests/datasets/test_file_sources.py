"""FileSource: where bytes come from, how they are packed, what is in them, and how much of it is read."""

import gc
import gzip
import io
import os
import stat
import tempfile
import tracemalloc
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest
import zstandard

import assay
from assay import BadParameter, DataError, Qrels, Run
from assay.datasets import load_dataset
from assay.files import (
    FileSource,
    as_source,
    convert,
    decode_file,
    decoded_lines,
    parse_json,
    read_json,
    write_parquet_table,
)

from ._cases import BOM, PACKERS, QRELS_FILES, RUN, RUN_FILES, RUN_NAMES, RUN_ROWS, packed, parquet, plain, trec_run, write


def test_kind_and_name_are_found_by_ending_and_content(tmp_path):
    for files in (RUN_FILES, QRELS_FILES):
        for form, (name, content) in files.items():
            kinds = {"JSONL": "jsonl", "JSON": "json", "TREC": "trec", "CSV": "table", "TSV": "table", "table": "table"}
            wanted = next((kind for word, kind in kinds.items() if word in form), "trec")
            assert FileSource(write(tmp_path / name, content)).kind == wanted, form
    for name in ("run.parquet", "RUN.PARQUET"):
        assert FileSource(parquet(tmp_path / name, RUN_ROWS, RUN_NAMES)).kind == "parquet"
    names = dict.fromkeys(("bm25", "bm25.txt", "bm25.run.gz", "bm25.jsonl.zst", "bm25.run.xz"), "bm25")
    names |= {"v1.2.trec": "v1.2", "qrels.tsv": "qrels", ".txt": str(tmp_path / ".txt")}
    assert {name: FileSource(tmp_path / name).name for name in names} == names
    source = FileSource("run.txt")
    for _ in range(2):
        source.note("read so")
    assert source.notes == ("run.txt: read so",)


def test_a_lazy_frame_is_collected_without_a_warning():
    """Warnings are errors here."""
    frame = pl.LazyFrame({"qid": ["q1"], "docid": ["a"], "score": [1.0]})
    assert as_source(frame).columns == ["qid", "docid", "score"]
    assert dict(Run(frame)) == dict(Qrels(frame.rename({"score": "grade"}))) == {"q1": {"a": 1.0}}
    assert assay.evaluate({"q1": {"a": 1}}, frame, "mrr")["mrr"] == 1.0


@dataclass
class Device:
    """A stream that would never end; it counts what was taken."""

    block: bytes = b"x"
    taken: list[int] = field(default_factory=list)

    def read(self, size):
        self.taken.append(size)
        if len(self.taken) > 3:
            raise OSError(27, "File too large")
        return self.block * size


@pytest.fixture
def empty_tmp(tmp_path, monkeypatch):
    """A folder of its own for temporary files."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    return tmp_path / "tmp"


def test_streams_are_taken_as_they_are_and_live_as_long_as_their_source(empty_tmp):
    stream = io.BytesIO(b"one\ntwo\n")
    stream.readline()
    taken = {b"two\n": stream, b"": io.BytesIO(), b"\xc3\xa9\r\n2": io.StringIO("é\r\n2", newline="")}
    for content, given_stream in taken.items():
        source = FileSource.spool(given_stream, "<here>")
        assert (source.label, source.content()) == ("<here>", content)
        assert source.path.exists()
    del source
    gc.collect()
    assert list(empty_tmp.iterdir()) == []


def test_sources_that_cannot_be_read_leave_nothing(snapshots, tmp_path, empty_tmp, monkeypatch):
    zeros, cut = Device(b"\0"), gzip.compress(b"one\n" * 100)[:-9]
    snapshots.check_errors(
        "files/sources",
        {
            "no file": lambda: as_source(tmp_path / "none.txt"),
            "a folder": lambda: as_source(tmp_path),
            "below a file": lambda: as_source(write(tmp_path / "f", "x") / "below"),
            "a stream that breaks off": lambda: FileSource.spool(Device(), "<here>"),
            "zeros": lambda: FileSource.spool(zeros, "<here>"),
            "half a letter": lambda: FileSource.spool(io.StringIO("d\udcff"), "<here>"),
            "truncated": lambda: FileSource(write(tmp_path / "f.gz", cut)).content(),
            "a key twice": lambda: read_json(FileSource(write(tmp_path / "f.json", '{"a": {"x": 1, "y": 2, "x": 3}}'))),
        },
    )
    assert len(zeros.taken) == 1  # told before it is copied
    for path in ("x" * 5000, "x\0y", ""):
        with pytest.raises(DataError):
            as_source(path)
    monkeypatch.setattr("shutil.copyfileobj", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        FileSource.spool(io.BytesIO(b"x"), "<here>")
    assert list(empty_tmp.iterdir()) == []


def test_a_device_is_refused_before_it_is_read(monkeypatch):
    with Path(os.devnull).open("rb") as nothing:  # unless it is standard input
        monkeypatch.setattr("sys.stdin", nothing)
        assert FileSource.at(os.devnull).content() == b""
    with pytest.raises(DataError, match="found a device"):
        FileSource.at(os.devnull)
    monkeypatch.setattr(Path, "open", lambda *_: pytest.fail("it was opened"))
    for kind in (stat.S_IFCHR, stat.S_IFBLK):
        found = os.stat_result((kind | 0o666, 99, 98, 1, 0, 0, 0, 0, 0, 0))
        monkeypatch.setattr(Path, "stat", lambda *_, found=found, **__: found)
        with pytest.raises(DataError, match="found a device"):
            FileSource.at("/dev/endless")


def test_every_damaged_file_is_noticed(tmp_path):
    for compression, pack in PACKERS.items():
        small, large = pack(b"q1 Q0 d1 1 0.5 t\n" * 3), pack(b"".join(b"q1 Q0 d%d 1 2 t\n" % n for n in range(5000)))
        damaged = [large[:-9], large[:400] + b"x" * 400 + large[800:]]
        if compression in ("gz", "zst"):
            damaged += [*(small[:length] for length in range(6, len(small))), pack(b"one\n") + b"rubbish"]
        for content in damaged:
            source = FileSource.at(write(tmp_path / "f", content))
            with pytest.raises(DataError, match=r"f: the compressed file is damaged \("):
                source.content()
            with pytest.raises(DataError, match="damaged"):
                list(source.lines())


def test_zstd_frames_follow_each_other(tmp_path):
    skipped = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
    frames = [b"a" * 5_000_000, b"", b"b" * 3, bytes(range(256)) * 100]
    packer = zstandard.ZstdCompressor().compressobj()  # without its size
    packed_frames = [*map(zstandard.compress, frames), skipped, packer.compress(b"one\n" * 1000) + packer.flush()]
    path = write(tmp_path / "f.zst", b"".join(packed_frames))
    assert FileSource(path).content() == b"".join(frames) + b"one\n" * 1000
    with pytest.raises(DataError, match="damaged"):
        FileSource(write(path, zstandard.compress(b"one\n") + skipped[:-1])).content()
    params = zstandard.ZstdCompressionParameters(window_log=29, enable_ldm=True)
    packer = zstandard.ZstdCompressor(compression_params=params).compressobj()
    with pytest.raises(DataError, match="Frame requires too much memory"):
        Run(write(tmp_path / "run.zst", packer.compress(trec_run().encode()) + packer.flush()))


BOMB = b'{\n"q1": {"d1": 1' + b" " * (70 << 20) + b"}\n}\n"


def test_a_file_that_grows_too_much_is_refused(snapshots, tmp_path, monkeypatch):
    told = partial(Run, write(tmp_path / "run.json.zst", zstandard.compress(BOMB)))
    snapshots.check_errors("files/unpacked", {"zstd": told})
    monkeypatch.setenv("ASSAY_MAX_EXPANSION", "100000")
    assert plain(told()) == {"q1": {"d1": 1}}
    for written in ("many", "0", "-5", "nan"):
        monkeypatch.setenv("ASSAY_MAX_EXPANSION", written)
        with pytest.raises(BadParameter, match="ASSAY_MAX_EXPANSION"):
            told()


def test_a_small_file_never_takes_much_memory(tmp_path):
    """One frame in a few kilobytes, which was once unpacked in one piece."""
    path = write(tmp_path / "run.zst", zstandard.compress(bytes(200 << 20)))
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match="unpacks to"):
            Run(path)
        assert tracemalloc.get_traced_memory()[1] < 140 << 20  # a line of up to 128 MB is held, but never the file
    finally:
        tracemalloc.stop()


def test_parquet_is_read_compressed_and_a_flipped_byte_is_a_data_error(tmp_path):
    whole = parquet(tmp_path / "run.parquet", RUN_ROWS, RUN_NAMES).read_bytes()
    for pack, name in ((packed, "run.parquet.gz"), (zstandard.compress, "run.parquet.zst"), (packed, "run.gz")):
        assert plain(Run(write(tmp_path / name, pack(whole)))) == RUN, name
    for place in (0, 4, 30, -8, -5):
        content = bytearray(whole)
        content[place] ^= 0xFF
        with pytest.raises(DataError, match=r"run\.parquet: cannot be read as Parquet: "):
            Run(write(tmp_path / "run.parquet", bytes(content)))
    (tmp_path / "folder").mkdir()
    for damaged in (bytes(content), b"", b"nonsense", b"PAR1 and then nothing"):
        write(tmp_path / "folder" / "queries.parquet", damaged)
        with pytest.raises(DataError, match=r"queries\.parquet"):
            load_dataset(tmp_path / "folder", format="parquet")
    footer = b"\x15\x02" + b"\x39\xfc" + b"\x80\x80\x80\x80\x01" + b"\x00"  # 2**28 row groups, which cost nothing
    with pytest.raises(DataError, match="it is damaged or has another format"):
        Run(write(tmp_path / "run.parquet", b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"))


def test_the_footers_of_every_writer_are_walked_to_their_end(tmp_path):
    path = tmp_path / "run.parquet"
    rows = pl.DataFrame([("q1", f"d{number}", number / 7) for number in range(50)], schema=RUN_NAMES, orient="row")
    nested = rows.with_columns(nested=pl.Series([[{"a": [1], "b": None}]] * 50))
    columns = dict.fromkeys(("query_id", "doc_id"), "VARCHAR") | {"score": "DOUBLE"}
    for writing in (
        lambda: nested.write_parquet(path, row_group_size=3),
        lambda: pq.write_table(nested.to_arrow(), path, row_group_size=3, write_page_index=True),
        lambda: write_parquet_table(path, columns, rows.rows()),
    ):
        writing()
        assert len(Run(path)["q1"]) == 50
        content = path.read_bytes()
        for cut in (1, 5, 8, 9, len(content) - 3):
            with pytest.raises(DataError):
                Run(write(tmp_path / "cut.parquet", content[:-cut]))


@dataclass
class Content:
    name: str
    sizes: list[int] = field(default_factory=list)


def test_json_becomes_records(tmp_path):
    for pack in (bytes, BOM.__add__, gzip.compress):
        path = write(tmp_path / "a.json", pack(b'{"name": "x",\n "sizes": [1, 2], "unknown": 5}'))
        assert decode_file(path, Content) == Content("x", [1, 2])
    assert convert({"name": "x", "sizes": ["1"]}, Content, "here") == Content("x", [1])
    path = write(tmp_path / "a.jsonl", BOM + b'{"a": 1}\n\n  \n[2]\r\n3')
    assert list(decoded_lines(path, parse_json)) == [(1, {"a": 1}), (4, [2]), (5, 3)]
    for text in ("{", "[" * 100_000, "9" * 5000, '{"a": 1, "a": 2}', '"\\ud800"'):
        with pytest.raises(ValueError):
            parse_json(text)
    # a line that cannot be read is its error
    path = write(tmp_path / "a.jsonl", b'1\n{"a": \n2\nx\n3\n' + b"[" * 100_000)
    seen = dict(decoded_lines(path, parse_json))
    assert [number for number, value in seen.items() if isinstance(value, DataError)] == [2, 4, 6]
    assert [seen[number] for number in (1, 3, 5)] == [1, 2, 3]


def test_what_is_no_record_says_where(snapshots, tmp_path):
    contents = {
        "malformed": b'{"name":\n\n oops}',
        "truncated": b'{"name": "x",\n"sizes": [1,\n',
        "wrong type": b'{"name": 5}',
        "wrong item": b'{"name": "x", "sizes": [1, "2"]}',
        "missing": b"{}",
        "not UTF-8": b'{"name":\n"\xff"}',
        "two values": b'{"name": "x"}\n{"name": "y"}',
        "nested too deeply": b'{"name": "x", "deep": ' + b"[" * 1_000_000,
    }

    def decoding(content):
        return lambda: decode_file(write(tmp_path / "a.json", content), Content)

    cases = {case: decoding(content) for case, content in contents.items()}
    cases["a value"] = lambda: convert({"sizes": []}, Content, "here")
    snapshots.check_errors("files/decoded", cases)
