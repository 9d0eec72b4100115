"""Errors: what each derives from, its exit code, and how its message reads."""

import pickle

import pytest

import assay
from assay import errors
from assay.errors import AssayError, BadParameter, DataError, Faults, UnknownName, UsageError, near_matches


@pytest.mark.parametrize(
    ("error", "parents", "exit_code"),
    [
        (AssayError, (Exception,), 70),
        (UsageError, (AssayError, ValueError), 2),
        (UnknownName, (UsageError, LookupError), 2),
        (BadParameter, (UsageError, ValueError), 2),
        (DataError, (AssayError, ValueError), 3),
    ],
)
def test_the_tree(error, parents, exit_code):
    for parent in parents:
        assert issubclass(error, parent)
    assert error.exit_code == exit_code


def test_every_error_is_public_and_drawn_in_the_tree():
    tree = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)}
    for name, kind in tree.items():
        assert getattr(assay, name) is kind
        assert name in errors.__doc__


def test_an_unknown_name_says_what_may_have_been_meant():
    assert str(UnknownName("metric", "ncdg@10", ["ndcg@10"])) == "no metric is called 'ncdg@10'. Did you mean ndcg@10?"
    assert str(UnknownName("format", "x", ["a", "b"], "see y")) == "no format is called 'x'. Did you mean a or b?   (see y)"
    assert str(UnknownName("metric", "???")) == "no metric is called '???'."


def test_an_unknown_name_keeps_its_parts():
    error = UnknownName("metric", "ncdg", ["ndcg"])
    assert (error.name, error.near) == ("ncdg", ("ndcg",))


def test_hostile_names_are_quoted():
    assert "\x1b" not in str(UnknownName("metric", "\x1b[31m\n"))
    assert "\n" not in str(UnknownName("metric", "\x1b[31m\n"))


def test_one_fault():
    faults = Faults("qrels.tsv")
    faults.add(41, "expected 4 columns, found 3")
    with pytest.raises(DataError) as raised:
        faults.raise_if_any()
    assert str(raised.value) == "qrels.tsv: 1 fault\n  qrels.tsv:41: expected 4 columns, found 3"
    assert raised.value.faults == ("qrels.tsv:41: expected 4 columns, found 3",)


def test_several_faults_are_raised_at_once():
    faults = Faults("run.txt")
    faults.add(41, "this")
    faults.add(7, "that")
    with pytest.raises(DataError) as raised:
        faults.raise_if_any()
    assert str(raised.value).splitlines() == ["run.txt: 2 faults", "  run.txt:7: that", "  run.txt:41: this"]


def test_no_fault_no_error():
    Faults("run.txt").raise_if_any()
    assert DataError("empty").faults == ()


@pytest.mark.parametrize(("n", "full", "head"), [(19, False, "r: 19 faults"), (20, True, "r: 20 or more faults")])
def test_twenty_faults_are_full(n, full, head):
    faults = Faults("r")
    for line in range(n):
        faults.add(line, "bad")
    assert faults.full == full
    with pytest.raises(DataError) as raised:
        faults.raise_if_any()
    assert str(raised.value).splitlines()[0] == head


def test_past_twenty_they_are_only_counted():
    faults = Faults("r")
    for line in range(1, 1001):
        faults.add(line, "bad")
    with pytest.raises(DataError, match="20 or more faults") as raised:
        faults.raise_if_any()
    assert len(raised.value.faults) == 20
    assert raised.value.faults[-1] == "r:20: bad"


@pytest.mark.parametrize(
    ("name", "near"), [("ncdg", ["ndcg"]), ("NDCG", ["ndcg"]), ("recal", ["recall"]), ("zzz", []), ("", [])]
)
def test_near_matches(name, near):
    assert near_matches(name, ["ndcg", "recall", "map"]) == near


def test_near_matches_keep_the_spelling_of_what_is_known():
    assert near_matches("rprec", ["Rprec"]) == ["Rprec"]
    assert len(near_matches("aa", ["aa1", "aa2", "aa3", "aa4"])) == 3
    assert len(near_matches("aa", ["aa1", "aa2"], most=1)) == 1


@pytest.mark.parametrize(
    "error",
    [
        AssayError("a"),
        UsageError("b"),
        BadParameter("c"),
        UnknownName("metric", "ncdg", ["ndcg"], "hint"),
        DataError("d", ["d:1: e"]),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_pass_from_one_process_to_another(error):
    """Where one cannot, a pool of workers hangs or dies instead of telling what is wrong."""
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_a_refusal_keeps_the_convention_that_refuses():
    error = DataError("1 judged query is missing", ["qrels:1: q1"], field="missing")
    again = pickle.loads(pickle.dumps(error))
    assert (again.message, again.faults, again.field) == ("1 judged query is missing", ("qrels:1: q1",), "missing")
    assert DataError("x").field == ""
