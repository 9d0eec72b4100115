"""Table: cells ready to be set, and the sentences that belong beside it."""

import pytest

import assay
from assay.evaluation.scoring import with_intervals
from assay.metrics.parsing import parse_metric
from assay.reports.report import Report
from assay.reports.sections.scores import MAX_METRIC_COLUMNS, coverage, notes, query_table, summary_table

from ._results import GOOD, NINE, POOR, QRELS, banded, pair, result


def texts(table):
    return [table.head, *([cell.text for cell in row] for row in table.rows)]


def test_few_metrics_are_columns():
    assert texts(summary_table(Report(pair()))) == [
        ["run", "map", "mrr", "num_q", "rbp_residual(p=0.5)"],
        ["good", "1.0000", "1.0000", "2", "0.3750"],
        ["poor", "0.1250", "0.2500", "2", "0.6250"],
    ]


def test_many_metrics_are_rows():
    table = summary_table(Report(pair(NINE), digits=2))
    assert len(NINE) == MAX_METRIC_COLUMNS + 1
    assert texts(table) == [
        ["metric", "good", "poor"],
        ["map", "1.00", "0.12"],
        ["mrr", "1.00", "0.25"],
        ["num_q", "2", "2"],
        ["recall@1", "0.75", "0.00"],
        ["recall@2", "1.00", "0.25"],
        ["precision@1", "1.00", "0.00"],
        ["precision@2", "0.75", "0.25"],
        ["hit@1", "1.00", "0.00"],
        ["rbp_residual(p=0.5)", "0.38", "0.62"],
    ]


@pytest.mark.parametrize("metrics", [NINE[:4], NINE])
def test_the_best_is_marked_in_either_orientation(metrics):
    table = summary_table(Report(pair(metrics)))
    best = {cell.text for row in table.rows for cell in row if cell.is_best}
    assert best >= {"1.0000", "0.7500"}
    assert not best & {"2", "0.1250", "good", "map"}


def test_queries_are_rows_in_their_order_with_text_metrics_too():
    (poor,) = results = [result("poor", POOR, ["map", "relstring"])]
    assert texts(query_table(Report(results, digits=2), poor)) == [
        ["query", "map", "relstring@10"],
        ["q1", "0.25", "02"],
        ["q2", "0.00", ""],
    ]


@pytest.mark.parametrize(
    ("policy", "line"),
    [
        ({}, "2 judged queries · level: grade > 0 · ties: docid_desc"),
        ({"rel": 2}, "2 judged queries · level: grade ≥ 2 · ties: docid_desc"),
        ({"rel": 0.5, "ties": "docid_asc"}, "2 judged queries · level: grade ≥ 0.5 · ties: docid_asc"),
        ({"judged_only": True}, "2 judged queries · level: grade > 0 · ties: docid_desc · unjudged documents dropped"),
    ],
)
def test_coverage_states_what_the_figures_rest_on(policy, line):
    assert coverage(Report(pair(**policy))) == line


def test_coverage_counts_in_the_right_number():
    one = assay.evaluate({"q": {"d": 1}}, {}, "map")
    many = assay.evaluate({str(number): {"d": 1} for number in range(1234)}, {}, "map")
    assert coverage(Report([one])).startswith("1 judged query ·")
    assert coverage(Report([many])).startswith("1,234 judged queries ·")


def test_notes_tell_what_became_of_queries():
    qrels = QRELS | {"q3": {"d1": 0}}
    run = POOR | {"q9": {"d1": 1.0}, "q8": {"d1": 1.0}}
    assert notes(Report([assay.evaluate(qrels, run, "map", name="r")])) == [
        "r: 2 queries missing from the run, scored as an empty ranking (q2 q3).",
        "r: 1 query without a relevant document, which binary metrics score 0.",
        "r: 2 queries of the run without judgments, left out.",
    ]


def test_notes_tell_what_was_skipped():
    qrels = QRELS | {"q3": {"d1": 0}}
    policy = assay.Policy(missing="skip", no_relevant="skip")
    assert notes(Report([assay.evaluate(qrels, POOR | {"q3": {"d1": 1.0}}, "map", policy=policy, name="r")])) == [
        "r: 1 of 3 judged queries are scored.",
        "r: 1 query missing from the run, left out (q2).",
        "r: 1 query without a relevant document, left out.",
    ]


def test_a_query_that_was_left_out_is_not_said_to_be_counted():
    policy = assay.Policy(missing="skip")
    said = notes(Report([assay.evaluate(QRELS | {"q2": {"d4": 0}}, POOR, "map", policy=policy, name="r")]))
    assert "r: 1 query missing from the run, left out (q2)." in said
    assert not any("counted as 0" in note for note in said)


def test_notes_name_five_missing_queries_at_most():
    qrels = {f"q{number}": {"d": 1} for number in range(8)}
    (note,) = notes(Report([assay.evaluate(qrels, {"q7": {"d": 1.0}}, "map", name="r")]))
    assert note == "r: 7 queries missing from the run, scored as an empty ranking (q0 q1 q2 q3 q4 …)."


def test_notes_of_the_result_are_passed_on():
    (note, _) = notes(Report([result("r", {"q1": {"elsewhere": 1.0}}, ["map"])]))[::-1]
    assert note.startswith("r: not one retrieved document occurs in the judgments")


def test_a_run_that_has_it_all_needs_no_note():
    assert notes(Report(pair()[:1])) == []


def test_a_note_that_holds_for_all_runs_is_said_once():
    qrels = QRELS | {"q3": {"d1": 0}}
    runs = {"good": {"q1": {"d1": 2.0, "d3": 1.0}, "q3": {"d1": 1.0}}, "poor": {"q1": {"d2": 2.0}, "q3": {"d1": 1.0}}}
    results = [assay.evaluate(qrels, run, "map", name=name) for name, run in runs.items()]
    both = [
        "1 query missing from the run, scored as an empty ranking (q2).",
        "1 query without a relevant document, which binary metrics score 0.",
    ]
    assert notes(Report(results)) == both
    assert notes(Report(results[:1])) == [f"good: {note}" for note in both]
    results.append(assay.evaluate(qrels, GOOD | {"q3": {"d1": 1.0}}, "map", name="full"))
    assert notes(Report(results)) == [f"good: {both[0]}", f"poor: {both[0]}", both[1]]


def test_bands_are_columns_of_their_metric():
    assert texts(summary_table(Report(banded(["mrr", "map"]), digits=2))) == [
        [
            "run",
            *(name + band for name in ("mrr", "map") for band in ("", " ties: min – mean – max", " unjudged: min – max")),
        ],
        ["tied", *["0.25", "0.25 – 0.52 – 1.00", "0.25 – 1.00"] * 2],
        ["clear", *["0.50", "0.50 – 0.50 – 0.50", "0.50 – 1.00"] * 2],
    ]


def test_the_bounds_of_unjudged_documents_stand_in_order():
    """A relevant document behind one of a lower grade makes a perfect ranking worse."""
    one = assay.evaluate({"1": {"a": 1}, "2": {"z": 3}}, {"1": ["a", "u"], "2": ["z"]}, "ndcg@10", name="r", residuals=True)
    assert texts(summary_table(Report([one], digits=3))) == [
        ["run", "ndcg@10", "ndcg@10 unjudged: min – max"],
        ["r", "1.000", "0.898 – 1.000"],
    ]


def test_bands_go_down_the_page_with_their_metrics():
    table = summary_table(Report(banded(["mrr", "map", "ndcg"])), one_metric_per_row=True)
    assert table.head == ["metric", "tied", "clear"]
    assert [row[0].text for row in table.rows][3:6] == ["map", "map ties: min – mean – max", "map unjudged: min – max"]


def test_a_scorer_that_says_the_same_of_everything_is_told():
    assert any("got one and the same score for all documents" in note for note in notes(Report(banded()[:1])))


def test_the_shape_depends_on_the_metrics_asked_for_and_on_nothing_beside_them():
    eight = ["map", "mrr", *(f"recall@{k}" for k in range(1, 7))]
    some = [with_intervals(one) for one in pair(metrics=[*eight, "judged@10", "judged@5"])]
    beside = frozenset({"judged@10", "judged@5"})
    assert summary_table(Report(some, beside=beside)).head[0] == "run"
    assert summary_table(Report(some)).head[0] == "metric"
    assert summary_table(Report(banded(["mrr", "map", "ndcg"]))).head[0] == "run"


# What eval's tables have beside


def test_a_column_counts_failures_where_there_are_any():
    one, other = pair(["map"])
    table = summary_table(Report([one.with_fields(failures={"q2": "no answer"}), other]))
    assert table.head[-1] == "failed"
    assert [row[-1].text for row in table.rows] == ["1", "0"]
    assert "failed" not in summary_table(Report([one, other])).head


def test_a_head_of_its_own_takes_the_unit_off_the_cells_and_what_is_hidden_is_not_there():
    report = Report(pair(["map", "mrr"]), heads={"map": "mean ms"}, hidden=frozenset({"mrr"}), rows_are="provider")
    assert summary_table(report).head == ["provider", "mean ms"]


def test_negative_figures_have_a_minus_sign_and_text_stays_as_it_is():
    report = Report(pair(["map", "relstring"]))
    assert report.text(parse_metric("map"), -0.5) == "−0.5000"
    assert report.figure(parse_metric("map"), -0.5) == "-0.5000"
    assert report.text(parse_metric("relstring"), "--2") == "--2"
