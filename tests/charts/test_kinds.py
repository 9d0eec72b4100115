"""Every kind of chart: its rows worked out by hand, and what its words say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.charts import draw
from assay.comparison import ComparisonOptions, compare_results
from assay.errors import UsageError
from assay.evaluation import Confidence, with_intervals
from assay.model import Query

from ._subjects import data, ranked, result_of, series_of, system

NAN = float("nan")


def with_scores(metric="mrr", **systems):
    return [result_of(name, **{metric: scores}) for name, scores in systems.items()]


def words_of(*drawings):
    return "".join(f"{drawing.alt}\n" for drawing in drawings)


# bars


def test_bars(snapshots):
    one, other = with_scores(one=[1, 0.5, 0, 0.5], other=[1, 1, 1, 1])
    drawing = draw("bars", [one, other])
    rows = data(drawing)
    assert [(row["system"], row["value"], row["shown"]) for row in rows] == [("one", 0.5, "0.500"), ("other", 1.0, "1.000")]
    found = with_intervals(one).intervals["mrr"]
    assert (rows[0]["low"], rows[0]["high"]) == (found.low, found.high)
    assert [list(row) for row in drawing.rows] == [["system", "value", "low", "high"]] * 2
    times = draw("bars", [result_of("one", latency=[1.0, 3.0])])
    assert times.spec["layer"][0]["encoding"]["x"]["title"] == "latency (ms), lower is better"
    assert times.spec["height"] == {"step": 34}
    snapshots.check("charts/bars", words_of(drawing, times))


def test_bars_keep_intervals_of_one_level_and_calculate_others_anew():
    def at(*levels):
        return draw(
            "bars",
            [
                result_of(f"s{place}", mrr=[1, 0.5]).with_fields(intervals={"mrr": Confidence(0.25, 0.875, level, "t")})
                for place, level in enumerate(levels)
            ],
        )

    assert [(row["low"], row["high"]) for row in data(at(0.9, 0.9))] == [(0.25, 0.875)] * 2
    assert "90 % confidence intervals" in at(0.9, 0.9).note
    assert all(row["low"] != 0.25 for row in data(at(0.9, 0.95)))
    assert "95 % confidence intervals" in at(0.9, 0.95).note


def test_a_bar_without_a_figure_is_a_gap():
    drawing = draw("bars", with_scores(one=[NAN, NAN], two=[1, 0]))
    assert data(drawing)[0]["value"] is None
    assert "one –; two 0.500" in drawing.alt
    assert draw("bars", [result_of("one", mrr=[NAN] * 2, map=[1, 0])]).alt.startswith("Bar chart of map: one 0.500")


# by_k


def by_k(*results, system="one", **how):
    drawing = draw("by_k", results, **how)
    return {row["k"]: row["value"] for row in data(drawing) if row["system"] == system}, drawing


def test_by_k_scores_rankings_again():
    """Relevant are a and b: found at ranks 2 and 4 of one query, at 1 and 3 of the other."""
    figures, drawing = by_k(ranked("one", "xayb", "axby"), cutoffs=(1, 2, 3, 4))
    assert figures == {1: 0.25, 2: 0.5, 3: 0.75, 4: 1.0}
    assert "one 0.250 at 1, 0.500 at 2, 0.750 at 3, 1.000 at 4" in drawing.alt
    assert "Computed at each cutoff from the rankings in the results" in drawing.alt
    assert drawing.spec["encoding"]["x"]["axis"]["values"] == [1, 2, 3, 4]
    assert list(by_k(ranked("one", "xaybzw"))[0]) == [1, 3, 5], "usual cutoffs as far as rankings reach"
    figures, drawing = by_k(ranked("one", "xayb"), cutoffs=(1, 4, 50))
    assert list(figures) == [1, 4]
    assert "No system has a value at 50" in drawing.alt


def test_by_k_takes_cutoffs_of_results_whose_rankings_it_cannot_trust():
    """None were kept, or somebody changed what is relevant after the result was made."""
    bare = result_of("one", **{"ndcg@10": [0.5, 0.5], "ndcg@1": [0, 0.5], "recall@3": [1, 1], "mrr": [1, 1]})
    strange = ranked("one", "xayb", metrics=("recall@2", "recall@4")).with_fields(relevant={"q0": {"x": 1.0}})
    for result, expected in ((bare, {1: 0.25, 10: 0.5}), (strange, {2: 0.5, 4: 1.0})):
        figures, drawing = by_k(result)
        assert figures == expected
        assert "Only the cutoffs in the results are shown" in drawing.alt
    assert draw("by_k", [bare], metric="ndcg@1").title == "ndcg by cutoff"
    both = ranked("one", "xayb", metrics=("recall@2",)), result_of("two", **{"recall@2": [0.5], "recall@4": [1]})
    assert by_k(*both, cutoffs=(1, 2, 4))[0] == {1: 0.0, 2: 0.5, 4: 1.0}
    figures, drawing = by_k(*both, cutoffs=(1, 2, 4), system="two")
    assert figures == {2: 0.5, 4: 1.0}
    assert "For two, only the cutoffs in the result are shown" in drawing.alt


# asl


def test_asl():
    """By mrr all three pairs differ on every query, by map none does."""
    results = [result_of(name, mrr=[score] * 24, map=[0.5] * 24) for name, score in (("a", 0.1), ("b", 0.5), ("c", 0.9))]
    drawing = draw("asl", results)
    assert [row["metric"] for row in drawing.rows] == ["mrr"] * 3 + ["map"] * 3
    assert [row["place"] for row in drawing.rows] == [1, 2, 3, 1, 2, 3]
    assert [row["p"] for row in drawing.rows][3:] == [1.0, 1.0, 1.0]
    assert max(row["p"] for row in drawing.rows[:3]) < 0.05
    assert "of 3 pairs of 3 systems (a; b; c): mrr 100 %; map 0 %" in drawing.alt
    assert {row["metric"] for row in draw("asl", results, metrics=("map",)).rows} == {"map"}


# critical_difference


def test_critical_difference(snapshots):
    """Ranks are 1 2 3, 1 2 3, and 2 1 3 with the first two equal on a fourth query."""
    systems = {"a": [0.9, 0.9, 0.5, 0.7], "b": [0.5, 0.5, 0.9, 0.7], "c": [0.1, 0.1, 0.1, 0.1]}
    drawing = draw("critical_difference", with_scores(**systems))
    assert {row["system"]: row["mean rank"] for row in drawing.rows} == {"a": 1.375, "b": 1.625, "c": 3.0}
    assert [row["system"] for row in data(drawing)] == ["a", "b", "c"]
    times = draw("critical_difference", with_scores("latency", slow=[9, 8, 9], fast=[1, 2, 1], middle=[5, 5, 5]))
    assert [(row["system"], row["mean rank"]) for row in times.rows] == [("fast", 1), ("middle", 2), ("slow", 3)]
    apart = draw("critical_difference", with_scores(a=[0.9] * 40, b=[0.5] * 40, c=[0.1] * 40))
    snapshots.check("charts/critical_difference", words_of(drawing, times, apart))


def test_critical_difference_joins_the_pairs_that_the_comparison_does_not_tell_apart():
    generator = np.random.default_rng(3)
    results = [result_of(f"s{one}", mrr=generator.uniform(0, 0.3, 40) + 0.05 * one) for one in range(6)]
    drawing = draw("critical_difference", results)
    groups = [set(group["group"].split("; ")) for group in drawing.spec["layer"][3]["data"]["values"]]
    compared = compare_results(results, ComparisonOptions(test="friedman"), metrics=["mrr"])
    for pair in compared.pairs:
        assert any({pair.a, pair.b} <= group for group in groups) != pair.is_significant
    assert drawing.alt.count("Not significantly different from each other: ") == 1


# groups


def test_groups_are_what_the_comparison_decided():
    generator = np.random.default_rng(3)
    results = [result_of(f"s{one}", mrr=generator.uniform(0, 0.3, 40) + 0.05 * one) for one in range(6)]
    drawing = draw("groups", results)
    compared = compare_results(results, metrics=["mrr"])
    assert [row["system"] for row in drawing.rows] == sorted(compared.names, key=lambda name: -compared.value(name, "mrr"))
    lines = [set(line["group"].split(", ")) for line in drawing.spec["layer"][2]["data"]["values"]]
    for pair in compared.pairs:
        assert any({pair.a, pair.b} <= line for line in lines) != bool(pair.better)
    against = compare_results(results, ComparisonOptions(baseline="s2"), metrics=["mrr"])
    drawing = draw("groups", results, comparison=against)
    lines = {frozenset(line["group"].split(", ")) for line in drawing.spec["layer"][2]["data"]["values"]}
    assert lines == {frozenset((pair.a, pair.b)) for pair in against.pairs if not pair.better}
    assert drawing.note.endswith("after correction (Holm); each system is compared with s2 only")


def test_groups_in_words():
    """a is better than c on every query, b is like a."""
    rng = np.random.default_rng(1)
    base = rng.uniform(0.5, 0.7, 40)
    scores = {"c": base - 0.3, "a": base, "b": base + rng.normal(0, 0.1, 40) - 0.001}
    drawing = draw("groups", with_scores(**{name: values.tolist() for name, values in scores.items()}))
    assert drawing.alt.startswith("mrr, best first: a 0.600; b 0.586; c 0.300. Not distinguished: a and b. A line joins ")
    apart = draw("groups", with_scores(a=[0.9] * 40, b=[0.5] * 40, c=[0.1] * 40))
    assert apart.alt == f"mrr, best first: a 0.900; b 0.500; c 0.100. All compared systems are distinguished. {apart.note}."
    times = draw("groups", with_scores("latency", slow=[9] * 9, fast=[1] * 9, middle=[5] * 9))
    assert [row["system"] for row in times.rows] == ["fast", "middle", "slow"]


# difference_histogram


def histogram(before, after, metric="mrr"):
    return draw("difference_histogram", with_scores(metric, a=before, b=after))


def test_difference_histogram(snapshots):
    """The largest difference is 1, so that bins are 0.05 wide: -0.5 is in the tenth below 0, 1 in the last above."""
    drawing = histogram([0.5, 0, 0.25, 0.25, 0], [0, 1, 0.25, 0.25, 0.02])
    assert [(round(row["from"], 9), round(row["to"], 9), row["queries"], row["outcome"]) for row in data(drawing)] == [
        (-0.5, -0.45, 1, "worse"),
        (0.0, 0.0, 2, "same"),
        (0.0, 0.05, 1, "better"),
        (0.95, 1.0, 1, "better"),
    ]
    times = histogram([1, 2, 3], [2, 1, 3], "latency")
    assert [row["outcome"] for row in data(times)] == ["better", "same", "worse"]
    rounded = histogram([0.3, 0.5], [0.1 + 0.2, 0.5])
    assert data(rounded) == [{"text": "No query changed: a and b have the same mrr on all 2 queries."}]
    for most, ticks in ((3, [0, 1, 2, 3]), (50, None)):
        assert histogram([0] * most, [1] * most).spec["encoding"]["y"]["axis"].get("values") == ticks
    snapshots.check("charts/difference_histogram", words_of(drawing, times, rounded))


@given(st.lists(st.tuples(*[st.integers(0, 20)] * 2), min_size=1, max_size=50))
def test_every_query_is_in_one_bin(pairs):
    before, after = ([pair[side] / 20 for pair in pairs] for side in (0, 1))
    rows = histogram(before, after).rows
    assert sum(row["queries"] for row in rows) == len(pairs)
    for row in rows:
        inside = [b - a for a, b in zip(before, after, strict=True) if row["from"] - 1e-9 <= b - a <= row["to"] + 1e-9]
        assert len(inside) >= row["queries"]
        assert row["outcome"] == ("same" if row["from"] == row["to"] else "better" if row["to"] > 0 else "worse")


# heat_map


def test_heat_map(snapshots):
    a = result_of("a", mrr=[0.5, 0.5], latency=[10, 20], map=[1, 1])
    b = result_of("b", mrr=[1, 0.5], latency=[1, 2], map=[1, 1])
    drawing = draw("heat_map", [a, b, result_of("c", mrr=[1, 1], latency=[5, 6.5], map=[1, 1])])
    cells = {(row["system"], row["metric"]): row for row in data(drawing)}
    assert [cells[name, "mrr"]["share"] for name in "abc"] == [0.0, 0.5, 1.0]
    assert [round(cells[name, "latency"]["share"], 3) for name in "abc"] == [0.0, 1.0, 0.685]
    assert [cells[name, "map"]["is_grey"] for name in "abc"] == [True, True, True], "equal values are not the palest"
    assert not any(cells[name, "mrr"]["is_grey"] for name in "abc")
    assert drawing.note.endswith("Grey: no value, or no difference between the systems")
    assert cells["a", "latency"]["shown"] == "15.0 ms"
    asked = draw("heat_map", [a, b], metrics=("AP", "RR", "mrr"))
    assert list(dict.fromkeys(row["metric"] for row in asked.rows)) == ["map", "mrr"]
    beside = draw("heat_map", [a.with_fields(beside=("latency",)), b])
    assert {row["metric"] for row in beside.rows} == {"mrr", "map"}
    nothing = result_of("n", mrr=[NAN] * 2, latency=[1, 1], map=[1, 1])
    partly = draw("heat_map", [nothing, b], metrics=("mrr",))
    assert [(row["value"], row["is_grey"], row["shown"]) for row in data(partly)] == [
        (None, True, "–"),
        (0.75, True, "0.750"),
    ]
    assert [row["metric"] for row in draw("heat_map", [nothing]).rows] == ["latency", "map"]

    snapshots.check("charts/heat_map", words_of(drawing, partly))


# history


def history(*values, baselines=None, **how):
    drawing = draw("history", series=(series_of(*values, **how),), baselines=baselines or {})
    return drawing, {row["evaluation"]: row["mark"] for row in drawing.rows if row["mark"]}


def test_history():
    drawing, marks = history(*[0.8] * 15, *[0.6] * 5)
    assert marks == {"e15": "worse"}
    assert drawing.title == "mrr over time on rag"
    assert "bm25: first 0.800, last 0.600, in 20 evaluations" in drawing.alt
    assert "bm25 got worse on 2026-10-16, from 0.800 to 0.600" in drawing.alt
    assert drawing.spec["layer"][-1]["encoding"]["shape"]["scale"]["domain"] == ["worse"]
    times, marks = history(*[80] * 15, *[60] * 5, metric="latency")
    assert list(marks.values()) == ["better"]
    assert "from 80.0 ms to 60.0 ms" in times.alt
    assert history(0.8)[0].alt == (
        "mrr over time. bm25: 0.800 in 1 evaluation. Changes can be detected from the second evaluation on."
    )
    drawing, _ = history(0.5, 0.5, 0.5, baselines={"e1": "main"})
    assert [(row["mark"], row["blessed as"]) for row in data(drawing)] == [("", ""), ("baseline", "main"), ("", "")]
    assert "No changes were detected" in drawing.alt
    assert history(0.5, was_baseline=True)[1] == {"e0": "baseline"}
    assert not any("shape" in layer["encoding"] for layer in history(0.5, 0.5)[0].spec["layer"]), "no legend without marks"
    gap, _ = history(0.5, None, 0.7)
    assert [row["value"] for row in data(gap)] == [0.5, None, 0.7]
    assert "first 0.500, last 0.700, in 2 evaluations" in gap.alt
    nothing = history(None)[0]
    assert nothing.rows
    assert data(nothing) == [{"text": "There are no values of mrr for bm25."}]


def ends_of(drawing):
    """The ends of the lines of a history, with their names."""
    return next(layer["data"]["values"] for layer in drawing.spec["layer"] if "data" in layer)


def test_a_history_shows_one_interval_and_its_baselines_and_names_lines_where_they_end():
    one, two = (series_of(0.5, 0.6, provider=name) for name in ("one", "two"))
    other = series_of(0.7, 0.7, 0.7, provider="newest")
    drawing = draw("history", series=(one, two, other), baselines={"e1": "main"})
    assert {row["series"] for row in data(drawing) if row["is_focus"]} == {"newest"}
    assert drawing.note == "Shaded: the confidence interval of newest"
    chosen = draw("history", series=(one, two, other), baselines={"e1": "main"}, focus="rag · one")
    assert {row["series"] for row in data(chosen) if row["is_focus"]} == {"one"}
    ends = ends_of(chosen)
    assert [(end["series"], end["value"]) for end in ends] == [
        *(("one", 0.6), ("two", 0.6), ("newest", 0.7), ("baseline main", 0.6))
    ]
    assert len({round(end["at"], 6) for end in ends}) == 4, "the names of equal values are not on each other"
    assert not any(
        channel.get("legend") for layer in chosen.spec["layer"][:-1] for channel in [layer["encoding"].get("color", {})]
    )
    many = draw("history", series=tuple(series_of(0.5, 0.6, provider=f"p{n}") for n in range(40)))
    assert len({row["series"] for row in many.rows}) == 30
    assert "The 30 series with the newest values, of 40" in many.note
    long = [series_of(0.5, provider=f"hybrid(bm25, dense, depth={depth}, method=rrf, k=60)") for depth in (10, 20)]
    names = [end["label"] for end in ends_of(draw("history", series=tuple(long)))]
    assert names == ["hybrid…depth=10… k=60)", "hybrid…depth=20… k=60)"]


def test_the_axis_of_a_history_shows_as_much_as_it_needs():
    for started, shown in {
        "2026-10-{:02}T02:00:00+00:00": "%Y-%m-%d",
        "2026-10-01T{:02}:00:00+00:00": "%m-%d %H:%M",
        "2026-10-01T02:00:{:02}+00:00": "%m-%d %H:%M:%S",
        "yesterday": "%Y-%m-%d",
    }.items():
        drawing, _ = history(*[0.5] * (1 if started == "yesterday" else 9), started=started)
        assert drawing.spec["layer"][0]["encoding"]["x"]["axis"]["format"] == shown, started


# paired_scatter


def test_paired_scatter():
    drawing = draw("paired_scatter", with_scores(a=[1, 0.5, 0.2, NAN], b=[0.5, 0.5, 1, 0.5]))
    assert [(row["query"], row["a"], row["b"], row["outcome"]) for row in data(drawing)] == [
        ("q0", 1.0, 0.5, "worse"),
        ("q1", 0.5, 0.5, "same"),
        ("q2", 0.2, 1.0, "better"),
    ]
    assert data(drawing)[0]["text"] == "what is q0?"
    assert "Scatter plot of mrr on 3 queries: a (a) on the x axis, b (b) on the y axis. " in drawing.alt
    assert "b is better on 1 query, the same on 1, and worse on 1" in drawing.alt
    times = draw("paired_scatter", with_scores("latency", a=[1, 30], b=[2, 3]))
    axes = times.spec["layer"][1]["encoding"]
    assert axes["x"]["scale"] == axes["y"]["scale"] == {"domain": [0.0, 30.0], "nice": False}
    assert axes["x"]["title"] == "a: latency (ms)"
    assert [row["outcome"] for row in times.rows] == ["worse", "better"]
    one = with_scores(a=[1], b=[0.5])
    assert draw("paired_scatter", one).alt.startswith("Scatter plot of mrr on 1 query: a (a) on the x axis")
    assert "on 1 query: from −0.500 to −0.500" in draw("difference_histogram", one).alt


def test_many_queries_are_counted_in_cells():
    a, b = np.random.default_rng(1).integers(0, 11, (2, 1_001)) / 10
    assert len(draw("paired_scatter", with_scores(a=a[:-1], b=b[:-1])).rows) == 1_000
    results = with_scores(a=a, b=b)
    drawing = draw("paired_scatter", results)
    counts = {(round(row["a"], 9), round(row["b"], 9)): row["queries"] for row in data(drawing)}
    expected = {}
    for pair in zip(a.tolist(), b.tolist(), strict=True):
        expected[pair] = expected.get(pair, 0) + 1
    assert counts == expected
    assert "Drawn as counts in 40 × 40 cells" in drawing.alt
    pair = compare_results(results, ComparisonOptions(test="paired_t", interval="t")).pairs[0]
    assert f"is better on {pair.wins:,} queries, the same on {pair.ties:,}, and worse on {pair.losses:,}" in drawing.alt


# pareto


def unbeaten(*systems):
    drawing = draw("pareto", [system(*one) for one in systems])
    return [row["system"] for row in data(drawing) if row["unbeaten"]], drawing


def test_pareto():
    names, drawing = unbeaten(("fast", 1, 0.3), ("good", 50, 0.9), ("slow", 60, 0.8), ("middle", 5, 0.3))
    assert names == ["fast", "good"]
    assert "good 0.900 at 50.0 ms (Pareto-optimal); slow 0.800 at 60.0 ms; middle 0.300 at 5.0 ms." in drawing.alt
    assert drawing.spec["layer"][0]["encoding"]["x"]["scale"] == {"type": "log"}
    assert unbeaten(("a", 1, 0.5), ("b", 1, 0.5))[0] == ["a", "b"], "equals do not beat each other"
    assert unbeaten(("a", 0, 0.5))[1].spec["layer"][0]["encoding"]["x"]["scale"] == {"zero": True}
    names, drawing = unbeaten(("a", 1, 0.5), ("b", NAN, 0.5))
    assert (names, [row["system"] for row in drawing.rows]) == (["a"], ["a"])
    assert "Left out because a value is missing: b" in drawing.alt


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 5)), min_size=1, max_size=7))
def test_the_best_within_each_time_is_unbeaten(pairs):
    _, drawing = unbeaten(*((f"s{place}", time, quality / 5) for place, (time, quality) in enumerate(pairs)))
    found = {(row["latency"], round(row["value"] * 5)) for row in data(drawing) if row["unbeaten"]}
    for limit in range(1, 6):
        within = [(time, quality) for time, quality in pairs if time <= limit]
        if within:
            best = max(quality for _, quality in within)
            assert (min(time for time, quality in within if quality == best), best) in found
    assert len(found) <= len({time for time, _ in pairs})


# precision_recall


def curve(*results):
    return {row["recall"]: row["precision"] for row in data(draw("precision_recall", results))}


def test_precision_recall():
    """Relevant documents at ranks 1 and 4: precision is 1 up to half of them, 1/2 for all."""
    one = ranked("one", "axyb", metrics=("relstring", "mrr"))
    assert curve(one) == {level / 10: 1.0 if level <= 5 else 0.5 for level in range(11)}
    assert "one 1.000 at 0.0, 1.000 at 0.5, 0.500 at 1.0" in draw("precision_recall", [one]).alt
    assert curve(ranked("one", "axyb", "xyzw"))[0.0] == 0.5, "the mean over queries"
    qrels, run = {"q0": {"a": 1, "b": 1}}, {"q0": {"a": 3.0, "x": 2.0, "b": 1.0}}
    found = assay.evaluate(qrels, run, ["map"], profile="trec_eval-10", name="one")
    expected = assay.evaluate(qrels, run, ["iprec@0.6"], profile="trec_eval-10")["iprec@0.6"]
    assert curve(found.with_fields(run=run, relevant={"q0": {"a": 1.0, "b": 1.0}}))[0.6] == expected


# slices


def test_slices():
    tags = ("hard", "easy", "hard", "easy", "easy")
    results = [result_of("a", tags=tags, mrr=[0, 1, 0.5, 0.5, 0]), result_of("b", tags=tags, mrr=[1] * 5)]
    drawing = draw("slices", results, by="difficulty")
    found = [(row["slice"], row["system"], row["value"]) for row in data(drawing)]
    assert found == [("easy (3)", "a", 0.5), ("easy (3)", "b", 1.0), ("hard (2)", "a", 0.25), ("hard (2)", "b", 1.0)]
    assert all(row["low"] <= row["value"] <= row["high"] for row in data(drawing))
    assert "mrr by difficulty: easy (3), a: 0.500; easy (3), b: 1.000; hard (2), a: 0.250" in drawing.alt
    many = [f"t{number:02}" for number in range(50)] + [f"t{number:02}" for number in range(10, 50)]
    drawing = draw("slices", [result_of("a", tags=many, mrr=[0.5] * 90)], by="difficulty")
    assert {row["slice"] for row in drawing.rows} == {f"t{number} (2)" for number in range(10, 50)}
    assert "The 40 slices with the most queries, of 50" in drawing.alt
    benchmarks = [result_of("a", name, mrr=[score]) for name, score in (("x", 0.25), ("y", 0.75))]
    drawing = draw("slices", benchmarks, by="benchmark")
    assert [(row["slice"], row["value"]) for row in drawing.rows] == [("x (1)", 0.25), ("y (1)", 0.75)]


# many systems, and systems that failed


def test_the_best_of_many_systems_are_drawn_and_a_word_says_so():
    results = [result_of(f"s{place:03}", mrr=[place / 100] * 2, map=[0.5] * 2) for place in range(100)]
    for kind in ("bars", "heat_map"):
        drawing = draw(kind, results, **{"metric": "mrr"} if kind == "bars" else {})
        assert list(dict.fromkeys(row["system"] for row in drawing.rows)) == [f"s{place:03}" for place in range(60, 100)]
        assert "The 40 systems with the best mrr, of 100" in drawing.note
    times = [result_of(f"s{place:03}", latency=[place + 1.0] * 2) for place in range(41)]
    assert "s040" not in {row["system"] for row in draw("bars", times).rows}, "lower is better"
    ranks = draw("critical_difference", [result_of(f"s{n:02}", mrr=[n / 50, n / 60]) for n in range(45)])
    assert [row["system"] for row in ranks.rows[:2]] == ["s44", "s43"]
    assert (len(ranks.rows), "of 45" in ranks.note) == (40, True)


def test_thousands_of_systems_do_not_hide_each_other_in_a_pareto_chart():
    rng = np.random.default_rng(4)
    points = [(f"s{n}", float(rng.uniform(1, 100)), float(rng.uniform(0, 0.9))) for n in range(2500)]
    names, drawing = unbeaten(*points, ("best", 0.5, 1.0))
    assert names == ["best"]
    assert 800 < len(drawing.rows) < 1100
    assert f"{len(drawing.rows):,} of 2,501 systems are drawn" in drawing.note
    assert drawing.alt.startswith("mrr against mean latency: best 1.000 at 0.50 ms (Pareto-optimal).")


def test_a_system_that_failed_on_every_query_has_no_figure():
    works, other = with_scores(works=[1, 0.5], other=[0.5, 0.5])
    dead = result_of("dead", mrr=[0, 0]).with_fields(run={}, failures={"q0": "no route", "q1": "no route"})
    assert dead.is_total_failure
    for kind in ("bars", "heat_map"):
        drawing = draw(kind, [works, dead, other])
        assert {row["system"] for row in drawing.rows} == {"works", "other"}
        assert drawing.note.endswith("Left out because every query failed: dead")
    with pytest.raises(UsageError, match=r"needs 2 results, found 1 \(works\)\. Left out because every query failed: dead"):
        draw("paired_scatter", [works, dead])


# by_age


def test_by_age_has_ages_in_order_and_leaves_out_what_is_unknown():
    def aged(name, ages, scores):
        result = result_of(name, mrr=scores)
        tagged = {
            query: Query(query, metadata={"relevant_age": age} if age else None)
            for query, age in zip(result.query_ids, ages, strict=True)
        }
        return result.with_fields(queries=tagged)

    ages = ["older", "day", "week", "day", None]
    drawing = draw("by_age", [aged("one", ages, [0.25, 1, 0.5, 0, 1]), aged("other", ages, [1] * 5)])
    rows = [(row["age"], row["system"], row["value"]) for row in data(drawing)]
    assert rows == [
        *(("day (2)", "one", 0.5), ("day (2)", "other", 1.0)),
        *(("week (1)", "one", 0.5), ("week (1)", "other", 1.0)),
        *(("older (1)", "one", 0.25), ("older (1)", "other", 1.0)),
    ]
    assert drawing.note == "1 query without a known age is left out"
    assert drawing.spec["layer"][0]["encoding"]["x"]["scale"]["domain"] == ["day (2)", "week (1)", "older (1)"]
    with pytest.raises(UsageError, match="by_age needs the ages of relevant documents"):
        draw("by_age", [result_of("one", mrr=[1])])
