"""The block reader of TREC runs gives what the strict reader gives, or leaves the file to another reader."""

import struct
from contextlib import contextmanager
from unittest import mock

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import DataError, Policy, Qrels, Run
from assay.files import as_source, block_runs, rank_blocks
from assay.files.blocks import byte_fields, decimals, trec_blocks
from assay.model import RankRule
from assay.views import rank_all, settle

from ._cases import packed, shown, write


@contextmanager
def small(block=64, part=80):
    """Blocks and parts of few bytes, so that few rows already fill many of them."""
    with (
        mock.patch.multiple(block_runs, LEAST=0, BLOCK=block, LEAST_PART=part),
        mock.patch.multiple(trec_blocks, BLOCK=block),
    ):
        yield


def trec(rows, mark=" "):
    return "".join(mark.join((query, "Q0", doc, "1", score, "tag")) + "\n" for query, doc, score in rows)


DOCS = st.sampled_from(
    ["a", "b", "B", "a1", "a10", "d#", "é", "日本", "😀", "NULL", "long-id-0001", "long-id-0002", "long-id-0001x", "x" * 40]
)
SCORES = st.sampled_from(
    ["1", "1.0", "-0.0", "0", "+2.5", "1e-5", "0.1", "0.30000000000000004", "16777217", "16777216", "inf"]
)
QUERIES = st.sampled_from(["q1", "q2", "q3", "7", "a-long-name-of-a-query"])
ROWS = st.lists(st.tuples(QUERIES, DOCS, SCORES), min_size=1, max_size=40, unique_by=lambda row: row[:2])
QRELS = st.dictionaries(QUERIES, st.dictionaries(DOCS, st.integers(-1, 3), max_size=9), max_size=5)
TIES = ("docid_desc", "docid_asc", "input_order", "reverse_order")
RULES = [RankRule(ties, precision, drop_self=False) for ties in TIES for precision in ("float64", "float32")]
FORMS = {"plain": str.encode, "no last line end": lambda text: text.rstrip("\n").encode()}
FORMS |= {"gzip": lambda text: packed(text.encode()), "zstd": lambda text: zstandard.compress(text.encode())}


def assert_ranked_alike(source, qrels, rules=RULES):
    """Both readers rank by all rules alike, and the block reader was the one that read."""
    ranked = rank_blocks(as_source(source), qrels, rules)
    assert ranked is not None
    expected = rank_all(Run(source), qrels, rules)
    for rule in rules:
        policy = Policy(ties=rule.ties, precision=rule.precision)
        assert shown(settle(ranked[rule], policy)) == shown(settle(expected[rule], policy)), rule


@given(rows=ROWS, judged=QRELS, together=st.booleans(), mark=st.sampled_from(" \t"), form=st.sampled_from(sorted(FORMS)))
def test_both_readers_rank_alike(folder, rows, judged, together, mark, form):
    rows = sorted(rows, key=lambda row: row[0]) if together else rows
    source = write(folder / "run.txt", FORMS[form](trec(rows, mark)))
    with small():
        assert_ranked_alike(source, Qrels(judged))


@pytest.mark.parametrize("n_values", [1, 3, 10**9])
@pytest.mark.parametrize("order", ["sorted", "shuffled", "scattered"])
def test_long_rankings_with_few_and_many_ties(tmp_path, n_values, order):
    rng = np.random.default_rng(n_values)
    rows = [(f"q{q}", f"d{d:09}", str(int(rng.integers(n_values)))) for q in range(6) for d in rng.permutation(300).tolist()]
    if order == "sorted":
        rows.sort(key=lambda row: (row[0], -int(row[2])))
    if order == "scattered":
        rows = [rows[place] for place in rng.permutation(len(rows)).tolist()]
    judged = {f"q{q}": {f"d{d:09}": d % 3 for d in range(q, 310, 1 + q * 7)} for q in range(7)}
    source = write(tmp_path / "run.txt", trec(rows))
    for block in (500, 1 << 20):
        with small(block, 5000):
            assert_ranked_alike(source, Qrels(judged))


def test_one_query_larger_than_a_block_and_nothing_judged(tmp_path):
    source = write(tmp_path / "run.txt", trec([("q", f"d{number}", str(number)) for number in range(500)]))
    with small():
        assert_ranked_alike(source, Qrels({"q": {"d0": 1, "d499": 1}}))
        assert_ranked_alike(source, Qrels({"other": {"d0": 1}}))
        with mock.patch.object(trec_blocks, "LARGEST_BLOCK", 128):
            assert_ranked_alike(source, Qrels({"q": {"d0": 1, "d499": 1}}))  # in two passes


GOOD = "q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq2 Q0 a 1 3 t\nq2 Q0 b 2 2 t\n"
ODD = {
    "document twice": GOOD + "q2 Q0 a 3 1 t\n",
    "document twice, far apart": GOOD + "q1 Q0 a 3 1 t\n",
    "five columns": GOOD + "q3 Q0 a 1 3\n",
    "seven columns": GOOD + "q3 Q0 a 1 3 t u\n",
    "two spaces": GOOD.replace("q2 Q0 a", "q2  Q0 a"),
    "mixed marks": GOOD.replace("q2 Q0 a", "q2\tQ0 a"),
    "blank line": GOOD.replace("\nq2", "\n\nq2", 1),
    "comment": "# a comment of six words here\n" + GOOD,
    "comment in the middle": GOOD.replace("q2 Q0", "#q2 Q0", 1),
    "carriage returns": GOOD.replace("\n", "\r\n"),
    "byte-order mark": "\ufeff" + GOOD,
    "not a number": GOOD.replace(" 2 2 t", " 2 two t"),
    "underscore": GOOD.replace(" 2 2 t", " 2 2_0 t"),
    **{
        f"score {text}": GOOD.replace(" 2 2 t", f" 2 {text} t")
        for text in ("--5", "-+5", "+-5", "-", ".", "1.2.3", "1/5", "1:5")
    },
    "nan": GOOD.replace(" 2 2 t", " 2 nan t"),
    "control character": GOOD.replace("q2 Q0 a", "q2 Q0 a\x01"),
}


def outcome(source, qrels, least):
    """What people see: scores, or the message of the error."""
    with mock.patch.object(block_runs, "LEAST", least):
        try:
            return assay.evaluate(qrels, source, ["map", "num_ret", "runid"]).to_dict()
        except DataError as error:
            return str(error)


@pytest.mark.parametrize("name", ODD)
def test_unusual_files_are_left_to_another_reader(tmp_path, name):
    source, qrels = write(tmp_path / "run.txt", ODD[name]), Qrels({"q1": {"a": 1}, "q2": {"b": 1}})
    with small():
        assert rank_blocks(as_source(source), qrels, RULES) is None
        assert outcome(source, qrels, 0) == outcome(source, qrels, 10**9)


def test_text_that_is_not_utf8_is_left_to_the_strict_reader(tmp_path):
    source = write(tmp_path / "run.txt", GOOD.encode().replace(b"q2 Q0 a", b"q2 Q0 \xff"))
    with small():
        assert rank_blocks(as_source(source), Qrels({"q1": {"a": 1}}), RULES) is None


def test_rules_that_need_more_are_left_to_another_reader(tmp_path):
    source, qrels = as_source(write(tmp_path / "run.txt", GOOD)), Qrels({"q1": {"a": 1}})
    with small():
        for rule in (RankRule("ranx", "float64", False), RankRule("rank_column", "float64", False)):
            assert rank_blocks(source, qrels, [rule]) is None
        assert rank_blocks(source, qrels, [RankRule("docid_desc", "float64", True)]) is None
        assert rank_blocks(source, qrels, RULES, name_extra=True) is None  # q2 has no judgments
        assert rank_blocks(as_source({"q1": {"a": 1.0}}), qrels, RULES) is None


def test_equal_hashes_are_never_taken_for_equal_documents(tmp_path):
    """With a hash that is always the same, nothing may be mixed up."""
    source, qrels = write(tmp_path / "run.txt", GOOD), Qrels({"q1": {"a": 1}, "q2": {"b": 1}})
    with small(), mock.patch.object(byte_fields, "_mixed", lambda hashed, words: hashed * np.uint64(0)):
        assert rank_blocks(as_source(source), qrels, RULES) is None
        assert outcome(source, qrels, 0) == outcome(source, qrels, 10**9)


NUMBERS = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.floats(-1e6, 1e6).map(lambda value: f"{value:.6f}"),
    st.decimals(allow_nan=False, allow_infinity=False, places=17, min_value=-1000, max_value=1000).map(str),
    st.integers(-(10**22), 10**22).map(str),
    st.integers(2**52, 2**53).map(lambda value: f"{2 * value + 1}.5"),
    st.from_regex(r"[+-]?[0-9]{0,9}\.[0-9]{1,12}", fullmatch=True),
    st.from_regex(r"[+-]?[0-9]{1,9}(\.[0-9]{0,2})?", fullmatch=True),
)


@given(texts=st.lists(NUMBERS, min_size=1, max_size=30))
def test_decimals_are_read_as_python_reads_them(texts):
    pad = b" " * byte_fields.PADDING
    data = np.frombuffer(pad + " ".join(texts).encode() + pad, dtype=np.uint8)
    ends = len(pad) + np.cumsum([len(text) + 1 for text in texts]) - 1
    starts = ends - [len(text) for text in texts]
    values = decimals.parse_decimals(data, starts, ends)
    assert [struct.pack("<d", value) for value in values] == [struct.pack("<d", float(text)) for text in texts]


def test_decimals_without_extended_precision(monkeypatch):
    monkeypatch.setattr(decimals, "HAS_MORE_BITS", False)
    data = np.frombuffer(b" " * 32 + b"12.345600128173828" + b" " * 32, dtype=np.uint8)
    assert decimals.parse_decimals(data, np.array([32]), np.array([50]))[0] == 12.345600128173828
