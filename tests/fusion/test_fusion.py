"""Fusions by name: parameters, aliases, weights, and errors that say what there is."""

from __future__ import annotations

from assay.fusion import all_fusions, fuse, parse_fusion

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
    assert {parse_fusion(name).fusion.name for name in PEER_NAMES} == set(all_fusions())
    for name, ours in PEER_NAMES.items():
        assert parse_fusion(name).fusion.name == ours


def test_names():
    for text, name in {
        "rrf": "rrf",
        "RRF(k=60)": "rrf",
        "rrf(k=10)": "rrf(k=10)",
        "comb-mnz(norm=ZMUV)": "comb_mnz(norm=z_score)",
        "weighted(weights=[0.7, 0.3])": "weighted_sum(weights=[0.7, 0.3])",
        "rbc(phi=0.9)": "rbc(p=0.9)",
        "comb_mnz(weights=[0.7, 0.3])": "weighted_mnz(weights=[0.7, 0.3])",
    }.items():
        bound = parse_fusion(text)
        assert bound.name == name
        assert parse_fusion(bound.name) == bound


def test_settings_come_as_values_too():
    assert parse_fusion("rrf", k=10, weights=[1, 2]).name == "rrf(k=10, weights=[1, 2])"
    assert parse_fusion("comb_sum", norm="rank").params["norm"] == "rank"
    assert dict(fuse(RUNS, "rrf", k=0, weights=[1, 3])["q"]) == {"a": 2.5, "b": 3.5}


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
        "three weights": lambda: fuse(RUNS, "weighted_sum", weights=[1, 2, 3]),
        "no runs": lambda: fuse([], "rrf"),
        "no list": lambda: fuse("rrf", "rrf"),
        "infinite": lambda: fuse(infinite, "comb_sum"),
        "large": lambda: fuse(large, "comb_sum(norm=none)"),
    }
    snapshots.check_errors("fusion/errors", cases)
