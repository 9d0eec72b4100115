"""Fusions by name: parameters, aliases, weights, and errors that say what there is."""

from __future__ import annotations

import pytest

from assay.errors import BadParameter, UnknownName
from assay.fusion import all_fusions, fuse
from assay.fusion.fusion import find_fusion, parse_fusion

RUNS = [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 9.0, "a": 1.0}}]

SAME = ("isr", "log_isr", "logn_isr", "rrf", "rbc", "mixed", "mapfuse", "posfuse", "probfuse", "segfuse", "slidefuse")
PEER_NAMES = {
    **{name: f"comb_{name}" for name in ("min", "max", "med", "sum", "anz", "mnz", "gmnz")},
    **dict(zip(SAME, SAME, strict=True)),
    "bayesfuse": "bayesfuse",
    "condorcet": "condorcet",
    "wmnz": "weighted_mnz",
    "wsum": "weighted_sum",
    "bordafuse": "borda",
    "w_bordafuse": "weighted_borda",
    "w_condorcet": "weighted_condorcet",
}


def test_all_names_of_ranx_are_understood():
    assert {find_fusion(name).name for name in PEER_NAMES} == set(all_fusions())
    assert all(find_fusion(name).name == ours for name, ours in PEER_NAMES.items())


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("rrf", "rrf"),
        ("RRF(k=60)", "rrf"),
        ("rrf(k=10)", "rrf(k=10)"),
        ("comb-mnz(norm=ZMUV)", "comb_mnz(norm=z_score)"),
        ("weighted(weights=[0.7, 0.3])", "weighted_sum(weights=[0.7, 0.3])"),
        ("rbc(phi=0.9)", "rbc(p=0.9)"),
        ("comb_mnz(weights=[0.7, 0.3])", "weighted_mnz(weights=[0.7, 0.3])"),
    ],
)
def test_names(text, name):
    bound = parse_fusion(text)
    assert bound.name == name
    assert parse_fusion(bound.name) == bound


def test_settings_come_as_values_too():
    assert parse_fusion("rrf", k=10, weights=[1, 2]).name == "rrf(k=10, weights=[1, 2])"
    assert parse_fusion("comb_sum", norm="rank").params["norm"] == "rank"
    assert dict(fuse(RUNS, "rrf", k=0, weights=[1, 3])["q"]) == {"a": 2.5, "b": 3.5}


def test_errors_say_what_there_is():
    with pytest.raises(UnknownName, match=r"no fusion is called 'rff'\. Did you mean rrf"):
        parse_fusion("rff")
    with pytest.raises(BadParameter, match=r"^rrf has no parameter 'norm': it goes by ranks"):
        parse_fusion("rrf", norm="min_max")
    with pytest.raises(BadParameter, match=r"^isr has no parameter 'weights': all runs count alike"):
        parse_fusion("isr", weights=[1, 2])
    for weights in ("[0, 0]", "[-1, 1]", "[x, 1]", "[]", ""):
        with pytest.raises(BadParameter, match=r"weights is a list of numbers from 0 up, one per run and not all 0, as in"):
            parse_fusion(f"weighted_sum(weights={weights})")
    for wrong in (
        "rrf(k=-1)",
        "rbc(p=1)",
        "weighted_sum(weights=[0, 0])",
        "weighted_sum(weights=[-1, 1])",
        "probfuse(segments=0)",
    ):
        with pytest.raises(BadParameter):
            parse_fusion(wrong)
