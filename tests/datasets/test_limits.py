"""Limits of what is read: what comes out of compressed files, how long lines are, and damaged Parquet."""

import bz2
import gzip
import lzma
import tracemalloc

import polars as pl
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import BadParameter, DataError, Qrels, Run
from assay.datasets.format import load_dataset
from assay.errors import StoreError
from assay.files import FileSource, limits
from assay.files.parquet import is_sound_footer
from assay.files.record_files import write_parquet_table
from assay.store.export import read_export
from assay.store.packing import decompress

from ._cases import RUN, RUN_NAMES, RUN_ROWS, jsonl, packed, parquet, plain, trec_run, write
from ._quick import JUDGED
from ._sizes import sizes

PACKERS = {"gz": gzip.compress, "zst": zstandard.compress, "xz": lzma.compress, "bz2": bz2.compress}


@pytest.fixture(params=[0, 1 << 60], ids=["quick", "strict"])
def reader(request):
    """Both readers, whatever the size."""
    with sizes(request.param):
        yield


def refused(path):
    """What is said about a run."""
    with pytest.raises(DataError) as caught:
        assay.evaluate(JUDGED, path, ["map"])
    return str(caught.value)


@pytest.fixture
def small(monkeypatch):
    """Little is free, and little more is allowed."""
    monkeypatch.setattr(limits, "FREE", 2_000)
    monkeypatch.setattr(limits, "MAX_EXPANSION", 10)


@pytest.mark.parametrize("read", [Run, Qrels, load_dataset], ids=lambda one: one.__name__)
@pytest.mark.parametrize("name", ["q.json.zst", "q.jsonl.zst", "q.csv.zst", "q.txt.zst"])
def test_the_file_and_the_cause_are_named_once(tmp_path, monkeypatch, read, name):
    monkeypatch.setattr(limits, "FREE", 3_000_000)  # more than is looked at to tell what the file holds
    path = write(tmp_path / name, zstandard.compress(b'{\n"q1": {"d1": 1' + b" " * 4_000_000 + b"}\n}\n"))
    with pytest.raises(DataError) as caught:
        read(path)
    said = str(caught.value)
    assert said.count(name) == said.count("becomes") == 1, said


@pytest.mark.usefixtures("reader", "small")
@pytest.mark.parametrize("ending", PACKERS)
def test_what_becomes_far_larger_when_unpacked_is_refused(tmp_path, monkeypatch, ending):
    text = "".join(f"q1 Q0 d{number} 1 0.5 {'tag' * 100}\n" for number in range(300)).encode()
    path = write(tmp_path / f"run.{ending}", PACKERS[ending](text))
    told = refused(path)
    assert told.startswith(f"{path}: becomes ")
    assert told.endswith("if the file is sound, allow more with ASSAY_MAX_EXPANSION=100000")
    monkeypatch.setenv("ASSAY_MAX_EXPANSION", "100000")
    assert assay.evaluate(JUDGED, path, ["num_ret"])["num_ret"] == 300


@pytest.mark.parametrize("written", ["many", "0", "-5", "nan"])
def test_the_limit_is_a_number(tmp_path, monkeypatch, written):
    monkeypatch.setenv("ASSAY_MAX_EXPANSION", written)
    path = write(tmp_path / "run.gz", packed(trec_run().encode()))
    with pytest.raises(BadParameter, match="ASSAY_MAX_EXPANSION is a number above 0"):
        Run(path)


@given(
    ending=st.sampled_from(sorted(PACKERS)),
    pieces=st.lists(st.tuples(st.binary(min_size=1, max_size=30), st.integers(1, 3_000)), min_size=1, max_size=4),
    n_files=st.integers(1, 3),
)
def test_a_file_is_read_whole_or_refused(folder, ending, pieces, n_files):
    whole = b"".join(piece * count for piece, count in pieces)
    compressed = PACKERS[ending](whole) * n_files
    source = FileSource(write(folder / f"f.{ending}", compressed))
    most = max(2_000, 10 * len(compressed))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "FREE", 2_000)
        patch.setattr(limits, "MAX_EXPANSION", 10)
        try:
            found = source.content()
        except DataError as error:
            found = str(error)
    whole = (whole * n_files).removeprefix(b"\xef\xbb\xbf")
    assert found == whole if len(whole) <= most else "becomes" in found


def test_a_small_file_never_takes_much_memory(tmp_path):
    """One frame of 200 MB in a few kilobytes, which was once unpacked in one piece."""
    path = write(tmp_path / "run.zst", zstandard.compress(bytes(200 << 20)))
    assert path.stat().st_size < 10_000
    tracemalloc.start()
    told = refused(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "becomes" in told
    assert peak < 140 << 20  # a line of up to 128 MB is held, but never the file


def test_zstd_that_asks_for_a_large_window_is_refused(tmp_path):
    params = zstandard.ZstdCompressionParameters(window_log=29, enable_ldm=True)
    packer = zstandard.ZstdCompressor(compression_params=params).compressobj()
    path = write(tmp_path / "run.zst", packer.compress(trec_run().encode()) + packer.flush())
    assert "the compressed file is damaged: zstd decompressor error: Frame requires too much memory" in refused(path)


def test_zstd_passes_over_what_frames_may_skip(tmp_path):
    skipped = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
    path = write(tmp_path / "f.zst", zstandard.compress(b"one\n") + skipped + zstandard.compress(b"two\n"))
    assert FileSource(path).content() == b"one\ntwo\n"
    write(path, zstandard.compress(b"one\n") + skipped[:-1])
    with pytest.raises(DataError, match="ends in the middle of a frame"):
        FileSource(path).content()
    write(path, zstandard.compress(b"one\n") + b"no frame at all, but text")
    with pytest.raises(DataError, match="the compressed file is damaged"):
        FileSource(path).content()


@pytest.mark.usefixtures("small")
def test_exports_and_payloads_have_the_same_limit(tmp_path):
    path = write(tmp_path / "export.jsonl.zst", zstandard.compress(b'{"a": "' + b"x" * 50_000 + b'"}\n'))
    with pytest.raises(DataError, match="becomes"):
        list(read_export(path))
    with pytest.raises(StoreError, match="too large when unpacked"):
        decompress(zstandard.compress(bytes(50_000)), "a result")
    assert decompress(zstandard.compress(bytes(1_000)), "a result") == bytes(1_000)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("name", ["run.parquet.gz", "run.parquet.zst", "run.gz", "run"])
def test_compressed_parquet_is_read_by_both_readers(tmp_path, name):
    content = parquet(tmp_path / "plain.parquet", RUN_ROWS, RUN_NAMES).read_bytes()
    pack = {"gz": packed, "zst": zstandard.compress}.get(name.rpartition(".")[2], bytes)
    path = write(tmp_path / name, pack(content))
    assert plain(Run(path)) == RUN
    judged = Qrels({"q1": {"d1": 1}, "7": {"9": 1}})
    assert assay.evaluate(judged, path, ["num_rel_ret"])["num_rel_ret"] == 2


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.txt", "q1 Q0 a 1 0.5 t\n" + "x" * 5_000),
        ("run.csv", "qid,docid,score\nq1,a," + "5" * 5_000),
        ("run.csv", 'qid,docid,score\nq1,"a\n' + "5\n" * 5_000),
        ("run.jsonl", jsonl(RUN_ROWS, RUN_NAMES) + " " * 5_000),
    ],
    ids=["TREC", "CSV", "quoted over many lines", "JSONL"],
)
def test_a_line_without_end_is_refused_with_its_number(tmp_path, monkeypatch, name, text):
    for module in ("limits", "source", "rows"):
        monkeypatch.setattr(f"assay.files.{module}.LONGEST_LINE", 1_000)
    path = write(tmp_path / name, text)
    told = refused(path)
    assert "the line has more than 1,000 bytes and no end" in told or "field larger than field limit" in told
    assert f"{path}:" in told


def test_a_json_document_may_be_one_long_line(tmp_path, monkeypatch):
    for module in ("limits", "source"):
        monkeypatch.setattr(f"assay.files.{module}.LONGEST_LINE", 50)
    path = write(tmp_path / "run", '{"q1": {' + ", ".join(f'"d{number}": {number}' for number in range(100)) + "}}")
    assert len(Run(path)["q1"]) == 100


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("place", [0, 3, 4, 30, -8, -5])
def test_a_flipped_byte_in_parquet_is_a_data_error(tmp_path, place):
    content = bytearray(parquet(tmp_path / "run.parquet", RUN_ROWS, RUN_NAMES).read_bytes())
    content[place] ^= 0xFF
    path = write(tmp_path / "run.parquet", bytes(content))
    with pytest.raises(DataError) as caught:
        Run(path)
    assert str(caught.value).startswith(f"{path}: not a Parquet file that can be read: ")
    folder = tmp_path / "folder"
    folder.mkdir()
    write(folder / "queries.parquet", bytes(content))
    with pytest.raises(DataError, match=r"queries\.parquet"):
        load_dataset(folder, format="parquet")


@pytest.mark.usefixtures("small", "reader")
def test_more_rows_than_a_parquet_file_can_hold_are_refused(tmp_path):
    path = parquet(tmp_path / "run.parquet", [("q1", "d1", 0.5)] * 100_000, RUN_NAMES)
    assert "becomes" in refused(path)


@pytest.mark.parametrize("writer", ["polars", "pyarrow", "ourselves"])
def test_the_footers_of_every_writer_are_walked_to_their_end(tmp_path, writer):
    path = tmp_path / "run.parquet"
    rows = pl.DataFrame([("q1", f"d{number}", number / 7) for number in range(50)], schema=RUN_NAMES, orient="row")
    nested = rows.with_columns(nested=pl.Series([[{"a": [1], "b": None}]] * 50))
    if writer == "polars":
        nested.write_parquet(path, row_group_size=3)
    elif writer == "pyarrow":
        pq.write_table(nested.to_arrow(), path, row_group_size=3, write_page_index=True)
    else:
        write_parquet_table(path, dict.fromkeys(("query_id", "doc_id"), "VARCHAR") | {"score": "DOUBLE"}, rows.rows())
    assert is_sound_footer(path)
    assert len(Run(path)["q1"]) == 50
    content = path.read_bytes()
    for cut in (1, 5, 8, 9, len(content) - 3):
        assert not is_sound_footer(write(tmp_path / "cut", content[:-cut]))


def test_a_footer_that_claims_many_row_groups_costs_nothing(tmp_path):
    """Version 1, then a list of 2**28 row groups, which the database would make room for."""
    footer = b"\x15\x02" + b"\x39\xfc" + b"\x80\x80\x80\x80\x01" + b"\x00"
    path = write(tmp_path / "run.parquet", b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(DataError, match=r"run\.parquet: not a Parquet file that can be read: its start or its footer"):
        Run(path)
