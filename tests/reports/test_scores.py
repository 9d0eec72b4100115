"""Scores: results in every format, and the sentences about how far to trust them."""

import csv
import io
import re

import pytest
from rich.cells import cell_len

import assay
from assay.evaluation import with_intervals
from assay.metrics import parse_metric
from assay.reports import Report, all_renderers, best_first, deciding_metric, find_renderer, notes

from ._results import GOOD, METRICS, NINE, NOTHING, POOR, QRELS, banded, controls, pair, rendered, result

TEXT_FORMS = ("table", "markdown", "latex", "csv", "trec")
MAP, NUM_Q, RESIDUAL, P95 = map(parse_metric, ("map", "num_q", "rbp_residual(p=0.5)", "latency_p95"))


def all_forms(results, **how):
    return "".join(f"## {form}\n{rendered(form, results, **how)}\n" for form in TEXT_FORMS)


def test_results_in_every_format(snapshots):
    failed, other = pair(["map"])
    cases = {
        "one": all_forms(pair()[:1]),
        "two": all_forms(pair(), digits=2),
        "per_query": all_forms([result("poor", POOR, ["map", "relstring", "runid"])], per_query=True),
        "nine_metrics": all_forms(pair(NINE)),
        "nothing_scored": all_forms([result("r", POOR, ["map", "num_q"], rel=9, no_relevant="skip")]),
        "bands": all_forms(banded(), digits=2),
        "intervals": all_forms([with_intervals(one) for one in pair(["map", "mrr"])]),
        "profile": all_forms([assay.evaluate(QRELS, POOR, "map", profile="trec_eval-9", name="r")]),
        "failed": all_forms([failed.with_fields(failures={"q2": "no answer"}), other], rows_are="provider", title="a title"),
    }
    for name, text in cases.items():
        snapshots.check(f"reports/scores_{name}", text)


RESULTS = {
    "two": pair(),
    "nine metrics": pair(NINE),
    "text": pair(["relstring", "runid", "map"]),
    "text only": pair(["relstring"]),
    "nothing scored": [assay.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, METRICS, policy=NOTHING)],
    "nothing judged": [assay.evaluate({}, {}, NINE)],
    "everything": [assay.evaluate({"q": {"d": 1}}, {}, "all_trec", name="everything")],
}


@pytest.mark.parametrize("form", [name for name in all_renderers() if name != "html"])
def test_every_format_shows_every_kind_of_result(form):
    for name, results in RESULTS.items():
        for digits in (None, 0):
            text = rendered(form, results, per_query=digits is None, digits=digits)
            assert controls(text) <= ({"\t"} if form == "trec" else set()), name
            assert not text or (text.endswith("\n") and not text.endswith("\n\n")), name
            assert form in ("csv", "trec") or not re.search(r"\bnan\b", text), name


def test_the_catalog_of_formats(snapshots):
    assert all(renderer.meaning for renderer in all_renderers().values())
    snapshots.check_errors(
        "reports/formats", {"near": lambda: find_renderer("markdwon"), "none": lambda: find_renderer("??")}
    )


def test_what_a_narrow_terminal_shows_is_never_cut():
    for width in (40, 80):
        for metrics in (("rag", "judged@10"), METRICS, (*NINE, "relstring")):
            results = pair(metrics)
            text = rendered("table", results, per_query=True, width=width)
            figures = {f"{value:.4f}" for one in results for value in [*one.array("map").tolist(), one["map"]]}
            assert figures | {"good", "poor", "q1", "q2", "map", "mrr"} <= set(text.split()), metrics
            assert max(map(cell_len, text.splitlines())) <= width, metrics
        banded_text = rendered("table", banded(["mrr", "map", "ndcg@10"]), width=width)
        assert "0.2500 – 0.5208 – 1.0000" in banded_text
        assert banded_text.count("0.5000 – 1.0000") == 2


def test_figures_as_people_and_programs_read_them():
    value = 0.12345678901234568
    for digits, text in ((None, "0.1235"), (0, "0"), (2, "0.12"), (17, "0.12345678901234568")):
        assert Report(pair(), digits=digits).text(MAP, value) == text
        assert Report(pair(), digits=digits).text(NUM_Q, 1234567.0) == "1234567"
    report = Report(pair())
    assert (report.exact(MAP, value), Report(pair(), digits=2).exact(MAP, value), report.exact(MAP, float("nan"))) == (
        repr(value),
        "0.12",
        "",
    )
    assert (report.text(MAP, -0.5), report.figure(MAP, -0.5), report.text(MAP, float("nan"))) == ("−0.5000", "-0.5000", "–")
    assert (report.text(P95, 12.34), report.exact(P95, 12.34), report.text(P95, 1234.5)) == ("12.3 ms", "12.34", "1,234 ms")


def test_the_best_is_marked_unless_there_is_nothing_to_compare():
    unscored, (good, poor) = result("none", {}, missing="skip"), pair(missing="skip")
    cases = (
        ([good, poor], MAP, {0}),
        (pair()[::-1], RESIDUAL, {1}),
        ([good], MAP, set()),
        ([result("a", GOOD), result("b", GOOD)], MAP, set()),
        ([result("a", GOOD), result("b", POOR), result("c", GOOD)], MAP, {0, 2}),
        ([unscored, good, poor], MAP, {1}),
        ([unscored, unscored], MAP, set()),
        ([good, poor], NUM_Q, set()),
    )
    for results, metric, best in cases:
        assert Report(results).best(metric) == best, [one.name for one in results]


def test_rows_stand_best_first_by_the_first_metric_that_decides():
    poor, one, two = (
        result(name, run, ["runid", "num_q", "judged@10", "map", "rbp_residual(p=0.5)"])
        for name, run in (
            ("poor", {"q1": {"d2": 9.0, "d1": 8.0}}),
            ("one", {"q1": {"d1": 1.0}}),
            ("two", {"q1": {"d1": 2.0}}),
        )
    )
    assert deciding_metric([poor, one], {"judged@10"}).name == "map"
    assert deciding_metric([result("r", POOR, ["num_q"])]) is None
    assert deciding_metric([]) is None
    other = result("other", GOOD, ["mrr"])
    assert [one.name for one in best_first([other, poor, one, two], MAP)] == ["one", "two", "poor", "other"]
    assert [one.name for one in best_first([poor, one], RESIDUAL)] == ["poor", "one"]
    assert [one.name for one in best_first([poor, one], None)] == ["poor", "one"]


def test_csv_rows():
    def rows(results, **how):
        return list(csv.reader(io.StringIO(rendered("csv", results, **how), newline=""), strict=True))

    sorted_result = assay.evaluate(QRELS, {"q1": {"d2": 1.0, "d1": 1.0}, "q2": {"d4": 1.0}}, "mrr", name="r", tie_band=True)
    assert [row[1:] for row in rows([sorted_result.sorted_by("mrr")], per_query=True)[1:]] == [
        ["q2", "1.0", "1.0", "1.0", "1.0"],
        ["q1", "0.5", "0.5", "0.75", "1.0"],
        ["all", "0.75", "0.75", "0.875", "1.0"],
    ]
    qrels, run = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}}
    beir = assay.evaluate(qrels, run, ["map@10", "mrr@10"], profile="beir", name="r", tie_band=True)
    assert rows([beir], per_query=True, digits=1)[2] == ["r", "2", "", "0.0", "", "", "", "0.0", "0.0", "0.0"]
    assert rows([one.with_fields(benchmark="b") for one in pair(["map"])])[0] == ["benchmark", "run", "queries", "map"]


# Notes

TIED = {"q": {"a": 1.0, "b": 1.0}}
FOUR_TIED = {"q": {"b": 1.0, "a": 1.0, "x": 1.0, "y": 1.0}}
THIRD = {"q": {"x": 3.0, "y": 2.0, "a": 1.0}}
BESIDE = {"beside": frozenset({"judged@10"})}


def told(runs, metrics="mrr", qrels=None, shown=None, **how):
    results = [assay.evaluate(qrels or {"q": {"a": 1}}, run, metrics, name=name, **how) for name, run in runs.items()]
    return "\n".join(notes(Report(results, **(shown or {}))))


def many_tied(n_tied, n_clear):
    qrels = {str(number): {"a": 1} for number in range(n_tied + n_clear)}
    run = {query: {"a": 1.0, "b": 1.0 if number < n_tied else 0.5} for number, query in enumerate(qrels)}
    return {"qrels": qrels, "runs": {"r": run}}


def partly_judged(n_unjudged, n_queries=1):
    docs = [f"d{number}" for number in range(10)]
    qrels = {str(query): dict.fromkeys(docs[n_unjudged if query == 0 else 0 :], 1) for query in range(n_queries)}
    runs = {"r": {query: {doc: -float(doc[1:]) for doc in docs} for query in qrels}}
    return {"qrels": qrels, "runs": runs, "metrics": ["mrr", "judged@10"], "shown": BESIDE}


def test_what_a_careful_reader_is_told(snapshots):
    more = QRELS | {"q3": {"d1": 0}}
    less = {"qrels": {"q": {"a": 1}, "p": {"a": 1}}, "metrics": "unjudged@1", "tie_band": True}
    ahead = {"q": {"b": 1.0, "a": 1.0}, "p": {"a": 1.0, "A": 1.0}}
    both = {"good": {"q1": {"d1": 2.0, "d3": 1.0}, "q3": {"d1": 1.0}}, "poor": {"q1": {"d2": 2.0}, "q3": {"d1": 1.0}}}
    cases = {
        "nothing": told({"good": GOOD}, "map", QRELS),
        "queries that do not count": told({"r": POOR | {"q9": {"d1": 1.0}, "q8": {"d1": 1.0}}}, "map", more),
        "skipped": told(
            {"r": POOR | {"q3": {"d1": 1.0}}}, "map", more, policy=assay.Policy(missing="skip", no_relevant="skip")
        ),
        "many missing": told({"r": {"q7": {"d": 1.0}}}, "map", {f"q{number}": {"d": 1} for number in range(8)}),
        "nothing judged retrieved": told({"r": {"q1": {"elsewhere": 1.0}}}, "map", QRELS),
        "the same for all runs once": told(both, "map", more),
        "a lead that ties could undo": told({"third": THIRD, "tied": FOUR_TIED}, tie_band=True),
        "a lead that ties could only widen": told({"third": THIRD, "tied": TIED}, tie_band=True),
        "a lead as large as the band": told({"tied": TIED, "never": {"q": {"x": 1.0}}}, tie_band=True),
        "no lead": told({"one": TIED, "two": TIED}, tie_band=True),
        "less is better": told({"ahead": ahead, "behind": {"q": {"x": 1.0, "a": 1.0}, "p": {"x": 1.0}}}, **less),
        "several leads": told({"1": TIED, "2": {"q": dict.fromkeys("abc", 1.0)}, "3": FOUR_TIED}, tie_band=True),
        "across the cut": told(
            {"r": {"q": {"x": 5.0, "a": 1.0, "b": 1.0, "c": 1.0}}}, ["recall@2", "recall@10"], tie_band=True
        ),
        "sampled": told({"r": {"q": dict.fromkeys("abc", 1.0)}}, "inst", {"q": {"a": 2, "b": 1, "c": 0}}, tie_band=True),
        "many ties": told(**many_tied(1, 3)),
        "few ties": told(**many_tied(1, 4)),
        "ties averaged": told(**many_tied(4, 0), policy=assay.Policy(ties="expected")),
        "many ties, and the band": told(**many_tied(4, 0), tie_band=True),
        "ties that decide nothing": told({"r": {"q": {"a": 9.0, "x": 1.0, "y": 1.0}}}),
        "many unjudged": told(**partly_judged(3, 5)),
        "few unjudged": told(**partly_judged(1, 4)),
        "judged was asked for": told(**partly_judged(9) | {"shown": {}}),
        "scenarios that are no bounds": told({"r": TIED}, "ndcg_rel", {"q": {"a": 2}}, residuals=True),
        "a lead that unjudged documents could undo": told({"2": {"q": {"z": 2.0, "a": 1.0}}, "3": THIRD}, residuals=True),
        "a lead that shared documents could not": told({"2": {"q": {"x": 2.0, "a": 1.0}}, "3": THIRD}, residuals=True),
        "a lead that they could not": told({"far": {"q": {"a": 1.0, "x": 0.5}}, "nowhere": {"q": {}}}, residuals=True),
        "one query has no interval": "\n".join(
            notes(Report([with_intervals(assay.evaluate({"q": {"a": 1}}, TIED, "mrr"))]))
        ),
    }
    snapshots.check("reports/notes", "".join(f"## {name}\n{text}\n\n" for name, text in cases.items()))
