"""Errors: what each derives from, its fields and exit code, and how its message reads."""

import copy
import pickle

import pytest

import assay
from assay import errors
from assay.errors import AssayError, DataError, Fault, Faults, Hint, NoGroundTruth, NotComparable, UnknownName, near_matches
from assay.evaluation import evaluate
from assay.providers import RetryLater
from assay.store import Store

TREE = {
    "UsageError": ("AssayError", ValueError, 2),
    "UnknownName": ("UsageError", LookupError, 2),
    "BadParameter": ("UsageError", ValueError, 2),
    "NothingSelected": ("UsageError", ValueError, 5),
    "DataError": ("AssayError", ValueError, 3),
    "NoGroundTruth": ("DataError", ValueError, 3),
    "NotComparable": ("DataError", ValueError, 3),
    "ProviderError": ("AssayError", RuntimeError, 4),
    "StoreError": ("AssayError", RuntimeError, 6),
    "GateFailed": ("AssayError", AssertionError, 1),
    "AssayError": ("Exception", Exception, 70),
}
ONLY_MORE_FIELDS = {"NoGroundTruth", "NotComparable"}
"""Errors that users catch as DataError."""


def test_errors_form_a_tree():
    tree = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)}
    assert set(tree) == set(TREE)
    for name, (parent, builtin, exit_code) in TREE.items():
        kind = tree[name]
        assert issubclass(kind, builtin), name
        assert parent in [base.__name__ for base in kind.__mro__[1:]], name
        assert kind.exit_code == exit_code, name
        assert name in errors.__doc__, name
        assert name in ONLY_MORE_FIELDS or getattr(assay, name) is kind, name


def test_messages(snapshots):
    """The text of an error is composed of its fields."""
    run = DataError("no such query", source="run.txt")
    texts = {
        "unknown": UnknownName("metric", "???"),
        "unknown, one near": UnknownName("metric", "ncdg@10", ["ndcg@10"]),
        "unknown, several near": UnknownName("format", "x", ["a", "b"], "see y"),
        "unknown to a result": UnknownName("metric", "x", hint="it has mrr", owner="this result"),
        "hostile": UnknownName("metric", "\x1b[31m\n"),
        "with source": run,
        "with line": DataError("no number", source="run.txt", line=3),
        "with hint": DataError("this is a run", source="run.txt", hint=Hint("", "judgments come first")),
        "with faults": DataError("2 faults", [Fault("a", 1, source="r"), "b"], source="r"),
        "moved": run.at("other.txt"),
        "not comparable": NotComparable(["a differs", "b differs"]),
        "comparable in part": NotComparable(["a differs"], hint=Hint("--intersect", "compares what they share")),
        "comparable in part, at a place": NotComparable(["a"], hint=Hint("--intersect", "helps")).at("gate.yaml:3"),
    }
    snapshots.check("errors/messages", "\n".join(f"{case}: {error}" for case, error in texts.items()) + "\n")


def test_an_error_is_attributed_once():
    error = NoGroundTruth("none", relevance="auto", queries=["q1"])
    named = error.at("a.txt")
    assert (named.source, named.what, named.relevance, named.queries) == ("a.txt", "none", "auto", ("q1",))
    assert named.at("a.txt") is named
    assert (error.source, str(named.at("b.txt"))) == ("", "b.txt: a.txt: none")
    assert str(DataError("x", source="a", hint="y").hinting(None)) == "a: x"


def test_an_error_about_a_temporary_file_is_about_its_stream():
    faults = [Fault("grade 'x' is not a number", 3, "q1", "number", "/tmp/kept"), "…"]
    error = DataError("2 faults", faults, "missing", source="/tmp/kept", code="mixed", hint=Hint("--x", "helps"))
    moved = error.relocated("<stdin>")
    assert str(moved) == "<stdin>: 2 faults; --x helps\n  <stdin>:3: grade 'x' is not a number\n  …"
    assert (moved.field, moved.code, moved.faults[0].query, moved.faults[0].code) == ("missing", "mixed", "q1", "number")
    assert str(error).startswith("/tmp/kept: 2 faults"), "the error itself stays"


def test_faults_are_raised_at_once_in_the_order_of_their_places():
    faults = Faults("run.txt")
    faults.raise_if_any()
    faults.add(41, "this", code="columns")
    faults.add(7, "that")
    with pytest.raises(DataError) as raised:
        faults.raise_if_any()
    error = raised.value
    assert str(error).splitlines() == ["run.txt: 2 faults", "  run.txt:7: that", "  run.txt:41: this"]
    assert error.faults == ("run.txt:7: that", "run.txt:41: this")
    assert [(fault.place, fault.what, fault.code) for fault in error.faults] == [
        ("run.txt:7", "that", ""),
        ("run.txt:41", "this", "columns"),
    ]
    assert (error.source, error.code) == ("run.txt", "")


def test_an_error_without_faults_is_one():
    (fault,) = DataError("twice", source="run, query q1", code="duplicate").each_fault
    assert (fault.place, fault.what, fault.code) == ("run, query q1", "twice", "duplicate")


def test_twenty_faults_are_enough():
    for n, count, head in [(1, 1, "r: 1 fault"), (19, 19, "r: 19 faults"), (1000, 20, "r: 20 or more faults")]:
        faults = Faults("r")
        for line in range(1, n + 1):
            faults.add(line, "bad")
        assert faults.full == (n >= 20)
        with pytest.raises(DataError) as raised:
            faults.raise_if_any()
        told = raised.value
        assert (told.message, len(told.faults), told.faults[-1]) == (head, count, f"r:{count}: bad")


def test_near_matches():
    for name, near in {"ncdg": ["ndcg"], "NDCG": ["ndcg"], "recal": ["recall"], "zzz": [], "": []}.items():
        assert near_matches(name, ["ndcg", "recall", "map"]) == near, name
    assert near_matches("rprec", ["Rprec"]) == ["Rprec"]
    assert len(near_matches("aa", ["aa1", "aa2", "aa3", "aa4"])) == 3
    assert len(near_matches("aa", ["aa1", "aa2"], most=1)) == 1


def _kinds(kind):
    return [kind, *(below for child in kind.__subclasses__() for below in _kinds(child))]


def test_every_error_passes_from_one_process_to_another():
    """Where one cannot, a pool of workers hangs or dies instead of telling what is wrong."""
    assert evaluate
    assert Store  # their modules define errors as well
    made = {
        "UnknownName": UnknownName("metric", "ncdg", ["ndcg"], "hint", owner="this result"),
        "DataError": DataError(
            "d", [Fault("e", 1, "q1", "columns", "d")], "missing", source="s", line=2, hint=Hint("-x", "y")
        ),
        "NotComparable": NotComparable(["a"], hint=Hint("--intersect", "x")),
        "NoGroundTruth": NoGroundTruth("none", relevance="auto", queries=["q1"]),
        "RetryLater": RetryLater(3.0, "busy", source="http://x"),
    }
    for kind in dict.fromkeys(_kinds(AssayError)):
        error = made.get(kind.__name__) or kind.__new__(kind, "text")
        if kind.__name__ not in made:
            AssayError.__init__(error, "text", source="s", line=1)
        for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
            assert (type(again), again.args, vars(again)) == (type(error), error.args, vars(error)), kind
            assert str(again) == str(error) if kind.__name__ in made else True, kind
    fault = pickle.loads(pickle.dumps(made["DataError"])).faults[0]
    assert (fault.what, fault.line, fault.query, fault.code, fault.source) == ("e", 1, "q1", "columns", "d")
