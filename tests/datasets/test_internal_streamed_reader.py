"""The reader that counts rows while the database streams them gives what the strict reader gives."""

import os
import tempfile
from contextlib import contextmanager
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import DataError, Policy, Qrels, Run
from assay.files import as_source, block_runs, quick_runs, rank_blocks, rank_source, streamed_runs
from assay.files.blocks import byte_fields, seen_hashes, table_blocks, trec_blocks
from assay.model import RankRule
from assay.temporary_files import DESCRIPTORS
from assay.views import rank_all, settle

from ._cases import columns, delimited, jsonl, parquet, shown, trec_run, write

NAMES = ("query_id", "doc_id", "score")


@contextmanager
def small(rows=4, most=6, held=5):
    """Blocks, queries and held hashes of few rows, so that few rows already take every way; and no other quick reader."""
    with (
        mock.patch.multiple("assay.files.tables", LARGE_FILE=0, LARGE_FRAME=0),
        mock.patch.multiple(table_blocks, ROWS=rows, MOST_ROWS=most),
        mock.patch.object(seen_hashes, "MOST_HELD", held),
        mock.patch.object(quick_runs, "_rank_table", side_effect=AssertionError("the streaming reader gave up")),
    ):
        yield


DOCS = st.sampled_from(["a", "b", "B", "a1", "a10", "d#", "é", "日本", "😀", "long-id-0001", "long-id-0002", "x" * 40])
SCORES = st.sampled_from([-1.0, -0.0, 0.0, 0.1, 0.30000000000000004, 1.0, 1.00000001, 1e-300, 1e300])
QUERIES = st.sampled_from(["q1", "q2", "7", "a-long-name-of-a-query"])
ROWS = st.lists(st.tuples(QUERIES, DOCS, SCORES), min_size=1, max_size=40, unique_by=lambda row: row[:2])
QRELS = st.dictionaries(QUERIES, st.dictionaries(DOCS, st.integers(-1, 3), max_size=9), max_size=5)
TIES = ("docid_desc", "docid_asc", "input_order", "reverse_order")
RULES = [RankRule(ties, precision, drop_self=False) for ties in TIES for precision in ("float64", "float32")]


def made(folder, form, rows):
    """The rows as a file or a frame."""
    if form == "pandas":
        return pd.DataFrame(columns(rows, NAMES))
    if form == "parquet":
        return parquet(folder / "run.parquet", rows, NAMES)
    texts = {"csv": delimited, "jsonl": jsonl, "txt": lambda rows, _: trec_run(rows)}
    return write(folder / f"run.{form}", texts[form](rows, NAMES))


def assert_ranked_alike(source, qrels):
    found = rank_source(as_source(source), qrels, RULES)
    expected = rank_all(Run(source), qrels, RULES)
    for rule in RULES:
        policy = Policy(ties=rule.ties, precision=rule.precision)
        assert shown(settle(found[rule], policy)) == shown(settle(expected[rule], policy)), rule


@given(
    rows=ROWS,
    judged=QRELS,
    together=st.booleans(),
    form=st.sampled_from(["csv", "jsonl", "parquet", "pandas", "txt"]),
    rows_of_block=st.integers(1, 9),
)
def test_both_readers_rank_alike(folder, rows, judged, together, form, rows_of_block):
    rows = sorted(rows, key=lambda row: row[0]) if together else rows
    with small(rows_of_block):
        assert_ranked_alike(made(folder, form, rows), Qrels(judged))


@pytest.mark.parametrize("order", ["sorted", "shuffled", "scattered"])
def test_many_batches_keep_the_order_of_the_file(tmp_path, order):
    """Row groups that several threads of the database read, with many ties."""
    rng = np.random.default_rng(1)
    query, document = np.repeat(np.arange(40), 500), np.tile(np.arange(500), 40)
    score = rng.integers(0, 20, len(query)) / 2
    places = np.arange(len(query)) if order != "scattered" else rng.permutation(len(query))
    if order == "sorted":
        places = np.lexsort((-score, query))
    frame = pl.DataFrame({"query_id": query[places], "doc_id": document[places], "score": score[places]})
    frame.write_parquet(tmp_path / "run.parquet", row_group_size=1000)
    judged = Qrels({str(q): {str(d): d % 3 for d in range(q, 510, 7)} for q in range(41)})
    with small(300, 2000, 3000):
        assert_ranked_alike(tmp_path / "run.parquet", judged)


def outcome(source, qrels, least):
    with mock.patch.multiple("assay.files.tables", LARGE_FILE=least, LARGE_FRAME=least):
        try:
            return assay.evaluate(qrels, source, ["map", "num_ret"]).to_dict()
        except DataError as error:
            return str(error)


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("gap", [1, 30])
def test_documents_that_appear_twice_are_found_in_every_way(tmp_path, form, gap):
    """In a block, and in two passes with hashes in temporary files; the second one is far away, and neither is judged."""
    rows = [(f"q{place // 20}" if gap == 1 else f"q{place % 3}", f"d{place}", 1.0 - place / 100) for place in range(60)]
    rows.insert(gap + 1, (*rows[0][:2], 0.5))
    source, qrels = made(tmp_path, form, rows), Qrels({"q1": {"d1": 1}})
    with (
        mock.patch.object(table_blocks, "ROWS", 8),
        mock.patch.object(seen_hashes, "MOST_HELD", 9),
        mock.patch.multiple("assay.files.tables", LARGE_FILE=0, LARGE_FRAME=0),
    ):
        found = []
        with mock.patch.object(streamed_runs, "_checked", side_effect=lambda *words: found.append(words) or checked(*words)):
            rank_source(as_source(source), qrels, RULES)
        assert found
    message = outcome(source, qrels, 0)
    assert message == outcome(source, qrels, 10**12)
    assert "appears twice" in message


def checked(*words):
    with pytest.raises(trec_blocks.Unusual):
        streamed_runs._count(*words)
    raise trec_blocks.Unusual


@pytest.mark.parametrize("name", ["run.csv", "run.parquet"])
def test_a_table_without_rows_has_no_rankings(tmp_path, name):
    source = tmp_path / name
    empty = pl.DataFrame(
        {name: [] for name in NAMES}, schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}
    )
    empty.write_parquet(source) if name == "run.parquet" else empty.write_csv(source)
    message = outcome(source, Qrels({"q1": {"d1": 1}}), 0)
    assert message == outcome(source, Qrels({"q1": {"d1": 1}}), 10**12)
    assert "no rankings" in message


def test_decimals_in_parquet_are_read_as_the_nearest_float(tmp_path):
    import duckdb

    path = tmp_path / "run.parquet"
    values = "('q1', 'a', 79228162514264337593.543950335::DECIMAL(38, 9)), ('q1', 'b', 0.1), ('q1', 'c', 0.100000001)"
    duckdb.execute(f"COPY (SELECT * FROM (VALUES {values}) t(query_id, doc_id, score)) TO '{path}' (FORMAT parquet)")
    with small():
        assert_ranked_alike(path, Qrels({"q1": {"a": 1, "b": 1, "c": 1}}))


@given(st.lists(st.integers(0, 2**64 - 1).filter(lambda number: number % 3), max_size=60), st.booleans())
def test_hashes_that_appear_twice_are_found(numbers, repeated):
    """In one table, and in many files; with hashes that share their first bits."""
    numbers = [*numbers, *(number >> 32 for number in numbers)]
    numbers = list(dict.fromkeys(numbers)) + (numbers[:1] if repeated else [])
    hashes = np.array(numbers, dtype=np.uint64)
    expected = len(set(numbers)) < len(numbers)
    assert byte_fields.has_duplicates(hashes) == expected
    with mock.patch.object(seen_hashes, "MOST_HELD", 7), seen_hashes.SeenHashes() as seen:
        for part in np.array_split(hashes, 5):
            seen.add(part.copy())
        assert seen.has_duplicates() == expected


def n_open_files():
    """The open files of this process; 0 on systems that do not list them."""
    return len(list(DESCRIPTORS.iterdir())) if DESCRIPTORS.is_dir() else 0


def test_no_temporary_file_remains(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with mock.patch.object(seen_hashes, "MOST_HELD", 7), seen_hashes.SeenHashes() as seen:
        n_open = n_open_files()
        seen.add(np.arange(100, dtype=np.uint64))
        assert not seen.has_duplicates()
    assert list(tmp_path.iterdir()) == []
    assert n_open_files() <= n_open


def test_the_parts_of_a_file_give_what_the_whole_file_gives(tmp_path):
    rng = np.random.default_rng(2)
    rows = [(f"q{q}", f"d{d}", round(float(s), 1)) for q in range(30) for d, s in enumerate(rng.gamma(2, 3, 50))]
    source, judged = write(tmp_path / "run.txt", trec_run(rows)), Qrels({f"q{q}": {f"d{q}": 1, "d2": 2} for q in range(31)})
    with (
        mock.patch.multiple(block_runs, LEAST=0, BLOCK=4000, LEAST_PART=2000),
        mock.patch.object(trec_blocks, "BLOCK", 4000),
    ):
        with mock.patch.object(os, "cpu_count", return_value=4):
            assert len(block_runs._parts(as_source(source))) == 4
            several = rank_blocks(as_source(source), judged, RULES)
        with mock.patch.object(os, "cpu_count", return_value=1):
            whole = rank_blocks(as_source(source), judged, RULES)
    for rule in RULES:
        policy = Policy(ties=rule.ties, precision=rule.precision)
        assert shown(settle(several[rule], policy)) == shown(settle(whole[rule], policy))
