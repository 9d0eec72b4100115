"""TREC lines: columns between tabs or blanks, ids with blanks in them, comments that may be rows, files of three columns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import Qrels, Run
from assay.errors import Faults
from assay.files import FileSource
from assay.files.rows import is_number, n_columns, trec_fields, trec_ids, trec_rows

from ._cases import faults_of, plain, write
from ._sizes import sizes

BOTH = pytest.mark.parametrize("least", [0, 10**9], ids=["large", "small"])
"""Through the database and line by line."""
JUDGED = {"q1": {"faq.md": 1, "User Guide.md": 1}}


def scored(run, qrels=JUDGED, least=0):
    with sizes(least):
        result = assay.evaluate(qrels, run, ["map", "mrr", "num_ret"])
    return dict(result.summary), result.notes


# --- columns -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        (b"a b\tc d\n", [b"a b", b"c d"]),
        (b"a\t b c \r\n", [b"a", b"b c"]),
        (b"a\t\n", [b"a", b""]),
        (b"a b\n", [b"a", b"b"]),
        (b"a  b\tc\td\n", [b"a", b"b", b"c", b"d"]),
        (b"\ta\tb\n", [b"a", b"b"]),
    ],
)
def test_tabs_win_where_they_make_as_many_columns_as_there_should_be(line, fields):
    assert trec_fields(line, 2) == fields


@pytest.mark.parametrize(
    ("line", "width", "ids"),
    [
        (b"q Q0 d 1 2 t\n", 6, ("q", "d")),
        (b"q\tQ0\tUser Guide.md\t1\t2\tt\n", 6, ("q", "User Guide.md")),
        (b"q\tUser Guide.md\t1\n", 3, ("q", "User Guide.md")),
        (b"q d 1\n", 3, ("q", "d")),
        (b"q\t0\tUser Guide.md\t1\n", 4, ("q", "User Guide.md")),
        (b"q Q0 d 1 2 my tag\n", 7, ("q", "d")),
        (b"q d\n", 2, None),
    ],
)
def test_how_many_columns_a_line_has_and_which_hold_ids(line, width, ids):
    assert n_columns(line) == width
    assert trec_ids(line) == ids


def test_rows_have_at_least_their_width(tmp_path):
    faults = Faults("f")
    source = FileSource(write(tmp_path / "f", "a b\n\n#c\na  b\tc d e\na\n"))
    assert list(trec_rows(source, 3, "x y z", faults)) == [(4, [b"a", b"b", b"c", b"d", b"e"])]
    assert faults.found == ["f:1: expected 3 columns (x y z), found 2", "f:5: expected 3 columns (x y z), found 1"]


@pytest.mark.parametrize(
    ("field", "wanted"), [(b"1", True), (b"-1.5e3", True), (b"1_0", False), (b"", False), (b"\xff", False)]
)
def test_what_is_a_number(field, wanted):
    assert is_number(field) is wanted


@given(st.lists(st.text("ab \u00a0é", min_size=1).map(str.strip).filter(bool), min_size=6, max_size=6))
def test_six_columns_between_tabs_are_those_columns(fields):
    line = "\t".join(fields).encode()
    assert trec_fields(line, 6) == [field.encode().strip() for field in fields]


# --- ids with blanks -----------------------------------------------------------------------------------------------


WITH_TABS = "q1\tQ0\tintro.md\t1\t9.0\tt\nq1\tQ0\tUser Guide.md\t2\t8.0\tt\nq1\tQ0\tfaq.md\t3\t7.0\tt\n"


@BOTH
def test_an_id_may_have_blanks_between_tabs(tmp_path, least):
    """map is (1/2 + 2/3) / 2, worked by hand."""
    wanted = {"map": (1 / 2 + 2 / 3) / 2, "mrr": 0.5, "num_ret": 3.0}
    summary, notes = scored(write(tmp_path / "run", WITH_TABS), least=least)
    assert {name: summary[name] for name in wanted} == pytest.approx(wanted)
    assert notes == ()


@BOTH
@pytest.mark.parametrize("ties", ["docid_desc", "docid_asc", "input_order"])
def test_tied_ids_with_blanks_have_their_places(tmp_path, least, ties):
    path = write(tmp_path / "run", "".join(f"q1\tQ0\tdoc {name}\t1\t1.0\tt\n" for name in "bca"))
    order = {"docid_desc": "cba", "docid_asc": "abc", "input_order": "bca"}[ties]
    for doc in "abc":
        with sizes(least):
            result = assay.evaluate({"q1": {f"doc {doc}": 1}}, path, "mrr", policy=assay.Policy(ties=ties))
        assert result["mrr"] == 1 / (order.index(doc) + 1)


@BOTH
def test_an_empty_tag_does_not_shift_the_columns(tmp_path, least):
    path = write(tmp_path / "run", "q1\tQ0\tx\t1\t9\tt\nq1\tQ0\tUser Guide.md\t2\t8\t\n")
    assert scored(path, least=least)[0]["mrr"] == 0.5


def test_every_line_says_for_itself_what_stands_between_its_columns(tmp_path):
    path = write(tmp_path / "run", "q1 Q0 a 1 9 t\nq1\tQ0\tUser Guide.md\t2\t8\tt\nq1 Q0 b 3 7 my own tag\n")
    assert plain(Run(path)) == {"q1": {"a": 9.0, "User Guide.md": 8.0, "b": 7.0}}


@BOTH
@pytest.mark.parametrize(
    ("line", "n_columns", "rank"),
    [("q1 Q0 User Guide.md 2 8.0 t", 7, "Guide.md"), ("q1 Q0 The User Guide.md 2 8.0 t", 8, "User")],
)
def test_an_id_that_falls_apart_at_a_blank_is_a_fault(tmp_path, least, line, n_columns, rank):
    path = write(tmp_path / "run", f"q1 Q0 intro.md 1 9.0 t\n{line}\n")
    with sizes(least):
        (fault,) = faults_of(lambda run: assay.evaluate(JUDGED, run, "map"), path)
    assert fault == (
        f"{path}:2: expected 6 columns (query Q0 document rank score tag), found {n_columns} with {rank!r} for a rank: "
        "does an id have a blank? Put tabs between columns, or write JSON or CSV"
    )


def test_judgments_may_have_blanks_between_tabs_too(tmp_path):
    path = write(tmp_path / "qrels", "q1\t0\tUser Guide.md\t1\nq1 0 faq.md 2\n")
    assert plain(Qrels(path)) == {"q1": {"User Guide.md": 1.0, "faq.md": 2.0}}
    assert ":1: expected 4 columns" in faults_of(Qrels, write(path, "q1 0 User Guide.md 1\n"))[0]


# --- comments ------------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("line", ["#tag1 Q0 b 1 2 t", "#tag1\tQ0\tb c\t1\t2\tt"])
def test_a_whole_row_that_begins_like_a_comment_is_a_fault(tmp_path, least, line):
    path = write(tmp_path / "run", f"q1 Q0 b 1 2 t\n{line}\n")
    with sizes(least):
        (fault,) = faults_of(lambda run: assay.evaluate({"q1": {"b": 1}, "#tag1": {"b": 1}}, run, "mrr"), path)
    assert fault.startswith(f"{path}:2: begins with # as comments do, but is a whole row")


@BOTH
@pytest.mark.parametrize(
    "line", ["# q1 Q0 c 1 2 t", "# a b 1 9.5 t", "#tag1 Q0 b one 2 t", "#tag1 Q0 b 1 two t", "#tag1 Q0 b 1 2", "#"]
)
def test_any_other_line_that_begins_like_a_comment_is_one(tmp_path, least, line):
    path = write(tmp_path / "run", f"{line}\nq1 Q0 b 1 2 t\n{line}\n")
    assert scored(path, {"q1": {"b": 1}}, least) == ({"map": 1.0, "mrr": 1.0, "num_ret": 1.0}, ())


def test_ids_that_begin_with_a_hash_can_be_read_from_json(tmp_path):
    assert plain(Run(write(tmp_path / "run.json", '{"#tag1": {"#b": 2}}'))) == {"#tag1": {"#b": 2.0}}


# --- three columns -------------------------------------------------------------------------------------------------


THREE = "q1\tb\t1\nq2\ta\t1\nq1\tUser Guide.md\t2\nq1\tc\t3\n"


@BOTH
@pytest.mark.parametrize("ending", ["", ".tsv", ".txt"])
def test_three_columns_of_a_run_are_query_document_and_rank(tmp_path, least, ending):
    """MS MARCO's own format; queries may be interleaved."""
    path = write(tmp_path / f"run{ending}", THREE)
    summary, notes = scored(path, {"q1": {"User Guide.md": 1}, "q2": {"a": 1}}, least)
    assert (summary["mrr"], summary["num_ret"]) == (0.75, 4.0)
    assert notes == (f"{path}: three columns without a header, read as query, document and rank.",)
    assert plain(Run(path)) == {"q1": {"b": -1.0, "User Guide.md": -2.0, "c": -3.0}, "q2": {"a": -1.0}}
    assert (Run(path).notes, Run(path).tag) == (notes, "")


@BOTH
def test_blanks_between_three_columns_do_as_well(tmp_path, least):
    assert scored(write(tmp_path / "run", "q1 b 1\nq1 faq.md 2\n"), least=least)[0]["mrr"] == 0.5


@BOTH
@pytest.mark.parametrize(
    ("text", "line", "expected", "found"),
    [
        ("q1\tb\t9.5\nq1\ta\t7.2\n", 1, 1, "'9.5'"),
        ("q1\tb\t1\nq1\ta\t3\n", 2, 2, "'3'"),
        ("q1\tb\t2\nq1\ta\t1\n", 1, 1, "'2'"),
        ("q1\tb\t0\nq1\ta\t1\n", 1, 1, "'0'"),
        ("q1\tb\t1\nq1\ta\tx\n", 2, 2, "'x'"),
        ("q1\tb\t1\nq1\ta\t٢\n", 2, 2, "'٢'"),
    ],
)
def test_three_columns_that_do_not_count_up_from_1_are_a_fault(tmp_path, least, text, line, expected, found):
    """They may be scores: read as ranks, they would turn the ranking upside down."""
    path = write(tmp_path / "run", text)
    with sizes(least):
        (fault,) = faults_of(lambda run: assay.evaluate({"q1": {"a": 1}}, run, "mrr"), path)
    assert fault.startswith(f"{path}:{line}: expected rank {expected} of query q1, found {found}: three columns")
    assert fault.endswith("say so in a first line: query_id doc_id score")


def test_a_short_first_line_does_not_make_three_columns(tmp_path):
    first, *_ = faults_of(Run, write(tmp_path / "run", "q1 Q0 d1\nq1 Q0 d2 1 2 t\n"))
    assert first.endswith("run:1: expected 6 columns (query Q0 document rank score tag), found 3")
    first, *_ = faults_of(Qrels, write(tmp_path / "qrels", "q1\t0\td1\nq1\t0\td2\t1\n"))
    assert first.endswith("qrels:1: expected 4 columns (query iteration document grade), found 3")


def test_a_header_says_what_three_columns_are(tmp_path):
    assert plain(Run(write(tmp_path / "run", "query_id\tdoc_id\tscore\nq1\tb\t9.5\n"))) == {"q1": {"b": 9.5}}


def test_three_columns_of_judgments_are_query_document_and_grade(tmp_path):
    path = write(tmp_path / "qrels.tsv", "q1\ta\t2\nq1\tUser Guide.md\t0\n")
    qrels = Qrels(path)
    assert plain(qrels) == {"q1": {"a": 2.0, "User Guide.md": 0.0}}
    assert qrels.notes == (f"{path}: three columns without a header, read as query, document and grade.",)
    assert Qrels(qrels).notes == qrels.notes
    assert assay.evaluate(path, {"q1": ["a"]}, "mrr").notes == qrels.notes


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("q1\ta\t1\nq1\tb\n", 2, "expected 3 columns (query document grade), found 2"),
        ("q1\ta\t1\nq1\tb\tx\n", 2, "grade 'x' is not a number"),
        ("q1\ta\t1\nq1\ta\t0\n", 2, "document a is judged twice for query q1"),
        ("q1\ta\t1\nq1 0 b 1\n", 2, "expected 3 columns (query document grade), found 4"),
        ("q1 a 1\n", 1, "expected 4 columns (query iteration document grade), found 3"),
    ],
)
def test_faults_in_three_columns_of_judgments(tmp_path, text, line, says):
    path = write(tmp_path / "qrels", text)
    assert faults_of(Qrels, path) == (f"{path}:{line}: {says}",)
