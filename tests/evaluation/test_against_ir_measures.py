"""The profile ir_measures against ir_measures itself: each of its providers breaks ties and counts queries in its own way.

Its Compat is the exception: unretrieved documents get the score 0 there, and equals come in the order of the judgments, so
that only rankings with distinct scores above 0 have one answer.
"""

import importlib
import shutil
from functools import cache

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import assay

MEASURES = [
    *("RR", "RR@1", "RR@3", "RR(rel=2)@10", "RR(judged_only=True)"),
    *("Judged", "Judged@1", "Judged@5", "Accuracy", "Accuracy@4", "Accuracy(rel=2)"),
    *("AP", "AP(rel=2)@5", "nDCG", "nDCG@5", "nDCG(judged_only=True)@3"),
    *("P@5", "P(rel=2)@3", "R@5", "Rprec", "Success@2", "Bpref", "infAP", "IPrec@0.4", "SetP", "SetR", "SetF"),
]
GAINS = ["nDCG(gains={1: 2, 2: 5})@5"]
"""Asked for alone: beside a plain nDCG@5 it gets 0, or gives that its figures, as the seed of Python's hashes has it."""
COUNTS = ["NumQ", "NumRel", "NumRet", "NumRelRet"]
COMPAT = ["Compat(p=0.8)", "Compat(p=0.95)", "Compat(p=0.5, normalize=False)"]
OF_PERL = ["ERR@1", "ERR@5", "ERR@20", "nDCG(dcg='exp-log2')@1", "nDCG(dcg='exp-log2')@5", "nDCG(dcg='exp-log2')@20"]

QUERIES = st.sampled_from(["1", "2", "10", "33", "7"])
JUDGED = [*"abXY", *(f"doc{number}" for number in range(8))]
RETRIEVED = st.sampled_from([*JUDGED, *(f"unjudged-{number}" for number in range(6))])
NEAR = [1.0, 1.00000001, 1.00000002, 0.5, 0.5 + 1e-9]
SCORES = st.one_of(st.integers(0, 2).map(float), st.sampled_from(NEAR), st.floats(-2, 2))
TOP = {"unjudged-top": 9.0}
"""Its accuracy fails where everything within the cutoff is relevant."""
RUNS = st.dictionaries(QUERIES, st.dictionaries(RETRIEVED, SCORES).map(lambda ranked: ranked | TOP), min_size=1)


def qrels_of(grades):
    """Judgments in which every query has a grade that is not negative; without one it crashes."""
    of_query = st.dictionaries(st.sampled_from(JUDGED), grades, min_size=1)
    return st.dictionaries(QUERIES, of_query.filter(lambda grades: max(grades.values()) >= 0), min_size=1)


QRELS = qrels_of(st.integers(-2, 3))


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    """Measure → figure and scores, by the package, which writes a log file where it is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("cwl"))
        package = importlib.import_module("ir_measures")
        measure = cache(lambda name: eval(name, dict(vars(package))))  # its own parser does not run on every Python

        def calculate(names, qrels, run):
            by_measure = {measure(name): name for name in names}
            found = package.calc(list(by_measure), qrels, run)
            scores = {name: {} for name in names}
            for row in found.per_query:
                scores[by_measure[row.measure]][row.query_id] = row.value
            return {by_measure[key]: value for key, value in found.aggregated.items()}, scores

        yield calculate


def assert_same(theirs, names, qrels, run, digits=1e-9):
    """The figure of each measure, and the score of each query of the run that is judged."""
    ours = assay.evaluate(qrels, run, names, profile="ir_measures")
    figures, scores = theirs(names, qrels, run)
    for name in names:
        assert ours[name] == pytest.approx(figures[name], rel=digits, abs=digits), name
        found, wanted = ours.scores(name), scores[name]
        common = [query for query in qrels if query in run]
        assert {q: found[q] for q in common} == pytest.approx({q: wanted[q] for q in common}, rel=digits, abs=digits), name


@given(qrels=QRELS, run=RUNS)
def test_every_provider(theirs, qrels, run):
    assert_same(theirs, MEASURES, qrels, run)
    assert_same(theirs, GAINS, qrels, run)


DISTINCT = st.lists(RETRIEVED, unique=True, min_size=1).map(lambda docs: {doc: 1 / (3 + n) for n, doc in enumerate(docs)})


@given(qrels=QRELS, run=st.dictionaries(QUERIES, DISTINCT, min_size=1))
def test_compatibility(theirs, qrels, run):
    assert_same(theirs, COMPAT, qrels, run)


@given(qrels=QRELS, run=RUNS)
def test_counts(theirs, qrels, run):
    assume(qrels.keys() & run.keys())  # a sum over no query at all: 0 there, none here
    assert_same(theirs, COUNTS, qrels, run)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("perl") is None, reason="ir_measures runs gdeval, a Perl script, for ERR and exp-log2 nDCG")
@given(qrels=qrels_of(st.integers(-2, 4)), run=RUNS)
@example(qrels={"1": {"a": 4, "b": 0}}, run={"2": {"a": 1.0}})
def test_what_perl_scores(theirs, qrels, run):
    assert_same(theirs, OF_PERL, qrels, run)
