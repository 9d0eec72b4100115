"""Fusions by name, and the runs that go in and come out; errors that say what there is."""

from __future__ import annotations

import pytest

from assay.errors import BadParameter, DataError
from assay.fusion import all_fusions, fuse, parse_fusion, parse_norm
from assay.model import Run

OUR_NAMES = """
    isr=isr log_isr=log_isr logn_isr=logn_isr rrf=rrf rbc=rbc mixed=mixed mapfuse=mapfuse posfuse=posfuse probfuse=probfuse
    segfuse=segfuse slidefuse=slidefuse bayesfuse=bayesfuse condorcet=condorcet min=comb_min max=comb_max med=comb_med
    sum=comb_sum anz=comb_anz mnz=comb_mnz gmnz=comb_gmnz wmnz=weighted_mnz wsum=weighted_sum bordafuse=borda
    w_bordafuse=weighted_borda w_condorcet=weighted_condorcet
"""


def test_all_names_of_ranx_are_understood():
    names = dict(pair.split("=") for pair in OUR_NAMES.split())
    assert {name: parse_fusion(name).fusion.name for name in names} == names
    assert set(names.values()) == set(all_fusions())


def test_names():
    for text, name in {
        "RRF(k=60)": "rrf",
        "rrf(k=10)": "rrf(k=10)",
        "comb-mnz(norm=ZMUV)": "comb_mnz(norm=z_score)",
        "rbc(phi=0.9)": "rbc(p=0.9)",
        "comb_mnz(weights=[0.7, 0.3])": "weighted_mnz(weights=[0.7, 0.3])",
    }.items():
        bound = parse_fusion(text)
        assert bound.name == name
        assert parse_fusion(bound.name) == bound
    for text, name in {"min-max": "min_max", "ZMUV": "z_score", "Z-Score": "z_score", "MAX": "max", "raw": "none"}.items():
        assert parse_norm(text) == name


TWO = [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 9.0, "a": 1.0}}]


def test_settings_come_as_values_too():
    assert parse_fusion("rrf", k=10, weights=[1, 2]).name == "rrf(k=10, weights=[1, 2])"
    assert parse_fusion("comb_sum", norm="rank").params["norm"] == "rank"
    assert dict(fuse(TWO, "rrf", k=0, weights=[1, 3])["q"]) == {"a": 2.5, "b": 3.5}


def test_what_cannot_be_fused(snapshots):
    infinite = [{"q": {"a": 1.0}}, {"q": {"a": 2.0, "b": float("-inf")}}]
    large = [{"q": {"a": 1.5e308}}, {"q": {"a": 1.5e308, "b": 1.0}}]
    written = [
        *("rff", "comb_sum(norm=best)", "rrf(k=-1)", "rbc(p=1)", "probfuse(segments=0)"),
        *(f"weighted_sum(weights={weights})" for weights in ("[0, 0]", "[-1, 1]", "[x, 1]", "[]", "")),
    ]
    cases = {text: lambda text=text: parse_fusion(text) for text in written}
    cases |= {
        "a norm of ranks": lambda: parse_fusion("rrf", norm="min_max"),
        "weights where all count alike": lambda: parse_fusion("isr", weights=[1, 2]),
        "three weights": lambda: fuse(TWO, "weighted_sum", weights=[1, 2, 3]),
        "no runs": lambda: fuse([], "rrf"),
        "no list": lambda: fuse("rrf", "rrf"),
        "infinite": lambda: fuse(infinite, "comb_sum"),
        "large": lambda: fuse(large, "comb_sum(norm=none)"),
    }
    snapshots.check_errors("fusion/errors", cases)


RUNS = [
    {"q1": {"b": 1.0, "a": 2.0}, "q2": {}, "q3": {"x": 0.0}},
    {"q3": {"y": 5.0, "x": 5.0}, "q4": {"z": 1.0}, "q1": {"c": 3.0, "a": 3.0, "b": 3.0}},
]


def test_what_runs_can_be_given_as():
    for form in (Run({"7": {"1": 2.0}}), {7: {1: 2}}, {"7": ["1"]}):
        assert {query: list(ranking) for query, ranking in fuse([form], "rrf").items()} == {"7": ["1"]}
    for wrong in ([], "rrf", {"q": {}}, None):
        with pytest.raises(BadParameter):
            fuse(wrong, "rrf")
    with pytest.raises(DataError):
        fuse([{"q": {"a": float("nan")}}], "rrf")


def test_the_fused_run_is_a_run_and_those_given_are_left_as_they_were():
    before = [{query: dict(ranking) for query, ranking in run.items()} for run in RUNS]
    fused = fuse(RUNS, "rrf", depth=2)
    assert isinstance(fused, Run)
    assert fused.tag == "rrf"
    assert [list(ranking) for ranking in fused.rankings] == [["a", "b"], [], ["x", "y"], ["z"]]
    assert fused.n_retrieved.tolist() == [2, 0, 2, 1]
    fused.rankings[0].clear()
    assert before == RUNS
