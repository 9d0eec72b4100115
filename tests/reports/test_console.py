"""The table people read at the terminal."""

import re

import pytest
from rich.cells import cell_len

import assay

from ._results import METRICS, NINE, POOR, QRELS, banded, hostile_results, is_printable, pair, rendered, result, tame_results

STYLE = re.compile(r"\x1b\[[0-9;]*m")


def test_one_run():
    assert rendered("table", pair()[:1]) == (
        "2 judged queries · level: grade > 0 · ties: docid_desc\n"
        "\n"
        "  run       map      mrr   num_q   rbp_residual(p=0.5)\n"
        "  good   1.0000   1.0000       2                0.3750\n"
    )


def test_two_runs_and_what_to_know_about_them():
    assert rendered("table", pair(), digits=2) == (
        "2 judged queries · level: grade > 0 · ties: docid_desc\n"
        "\n"
        "  run     map    mrr   num_q   rbp_residual(p=0.5)\n"
        "  good   1.00   1.00       2                  0.38\n"
        "  poor   0.12   0.25       2                  0.62\n"
        "\n"
        "poor: 1 query missing from the run, scored as an empty ranking (q2).\n"
    )


def test_queries_come_first_the_summary_after_them():
    assert rendered("table", [result("poor", POOR, ["map", "relstring"])], per_query=True) == (
        "2 judged queries · level: grade > 0 · ties: docid_desc\n"
        "\n"
        "poor\n"
        "  query      map   relstring@10\n"
        "  q1      0.2500             02\n"
        "  q2      0.0000\n"
        "\n"
        "  run       map\n"
        "  poor   0.1250\n"
        "\n"
        "poor: 1 query missing from the run, scored as an empty ranking (q2).\n"
    )


def test_many_metrics_go_down_the_page():
    assert rendered("table", pair(NINE), digits=0).splitlines()[2:6] == [
        "  metric                good   poor",
        "  map                      1      0",
        "  mrr                      1      0",
        "  num_q                    2      2",
    ]


def test_text_metrics_alone_have_no_summary():
    assert rendered("table", pair(["relstring"])[:1]) == "2 judged queries · level: grade > 0 · ties: docid_desc\n"


def test_nothing_scored_shows_dashes_and_says_why():
    assert rendered("table", [result("r", POOR, ["map", "num_q"], rel=9, no_relevant="skip")]) == (
        "2 judged queries · level: grade ≥ 9 · ties: docid_desc\n"
        "\n"
        "  run   map   num_q\n"
        "  r       –       –\n"
        "\n"
        "r: 0 of 2 judged queries are scored.\n"
        "r: 1 query missing from the run, scored as an empty ranking (q2).\n"
        "r: 2 queries without a relevant document, left out.\n"
    )


def test_colour_only_repeats_what_the_words_say():
    watched = rendered("table", pair(), width=80, colour=True)
    assert "\x1b[1;32m1.0000\x1b[0m" in watched
    assert "\x1b[1;32m0.3750\x1b[0m" in re.sub(r" +", "", watched)
    plain = [line.rstrip() for line in STYLE.sub("", watched).splitlines()]
    assert plain == rendered("table", pair(), width=80).splitlines() == rendered("table", pair()).splitlines()


def test_nothing_is_wrapped_when_nobody_watches():
    name = "a very long name " * 30
    lines = rendered("table", [result(name.strip(), POOR)]).splitlines()
    assert sum(name.strip() in line for line in lines) == 2


@pytest.mark.parametrize("per_query", [False, True])
def test_hostile_text_takes_no_more_lines_than_tame_text(per_query):
    hostile = rendered("table", hostile_results(), per_query=per_query)
    assert hostile.count("\n") == rendered("table", tame_results(), per_query=per_query).count("\n")


@pytest.mark.parametrize(
    "text", ["[red]x[/red]", "[/]", "[bold", ":smile:", "a|b", "<script>", "東京タワー", "\\end{document}"]
)
def test_markup_is_shown_as_it_is(text):
    scored = assay.evaluate({text: {"d": 1}, "q": {"d": 1}}, {"q": {"d": 1.0}}, "map", name=text)
    shown = rendered("table", [scored], per_query=True, colour=True, width=80)
    assert STYLE.sub("", shown).count(text) == 5  # heading, query, run, and twice in the note


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("per_query", [False, True])
@pytest.mark.parametrize("colour", [False, True])
def test_no_line_is_wider_than_the_terminal(width, per_query, colour):
    text = STYLE.sub("", rendered("table", hostile_results(), per_query=per_query, width=width, colour=colour))
    assert [line for line in text.splitlines() if is_printable(line) and cell_len(line) > width] == []


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize("metrics", [("rag", "judged@10"), METRICS, (*NINE, "relstring")], ids=["default", "four", "many"])
def test_what_a_narrow_terminal_shows_is_never_cut(width, metrics):
    """However it is laid out, names, ids and figures stand there whole: a figure cut short is another figure."""
    results = pair(metrics)
    words = set(rendered("table", results, per_query=True, width=width).split())
    figures = {f"{value:.4f}" for result in results for value in [*result.array("map").tolist(), result["map"]]}
    assert figures | {"good", "poor", "q1", "q2", "map", "mrr"} <= words
    figure = re.compile(r"\d\.\d{4}|\d+|[0-9-]{2,}|–")
    numbers = {word for word in words if re.fullmatch(r"[\d.–-]+", word)}
    assert {number for number in numbers if not figure.fullmatch(number)} == set()


def test_a_long_note_wraps_at_the_width():
    qrels = {f"query-number-{number}": {"d": 1} for number in range(9)}
    text = rendered("table", [assay.evaluate(qrels, {"query-number-8": {"d": 1.0}}, "map", name="r")], width=40)
    assert max(map(cell_len, text.splitlines())) <= 40
    assert " ".join(text.split()).endswith(
        "scored as an empty ranking (query-number-0 query-number-1 query-number-2 query-number-3 query-number-4 …)."
    )


def test_a_thousand_queries_are_all_there():
    qrels = {f"q{number:04}": {"d": 1} for number in range(1_000)}
    run = {query: {"d": 1.0} for query in qrels}
    text = rendered("table", [assay.evaluate(qrels, run, "map")], per_query=True)
    assert text.startswith("1,000 judged queries")
    assert text.count("1.0000") == 1_001


def test_judgments_alone_can_be_empty():
    assert "0 judged queries" in rendered("table", [assay.evaluate({}, QRELS, "map", name="r")])


def test_bands_stand_beside_their_figures():
    assert rendered("table", banded()).splitlines()[2:5] == [
        "  run        mrr   mrr ties: min – mean – max   mrr unjudged: min – max",
        "  tied    0.2500     0.2500 – 0.5208 – 1.0000           0.2500 – 1.0000",
        "  clear   0.5000     0.5000 – 0.5000 – 0.5000           0.5000 – 1.0000",
    ]


@pytest.mark.parametrize("width", [40, 60])
def test_no_band_is_cut(width):
    text = rendered("table", banded(["mrr", "map", "ndcg@10"]), width=width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert "0.2500 – 0.5208 – 1.0000" in text
    assert text.count("0.5000 – 1.0000") == 2


def test_every_piece_says_whose_band_it_shows():
    text = rendered("table", banded(["mrr", "ndcg@10"]), width=40)
    pieces = [piece.split("\n") for piece in text.split("\n\n")[1:-1]]
    heads = [" ".join(" ".join(piece[:-2]).replace("run", "").split()) for piece in pieces]
    assert heads == [
        "mrr",
        "mrr ties: min – mean – max",
        "mrr unjudged: min – max ndcg@10",
        "ndcg@10 ties: min – mean – max",
        "ndcg@10 unjudged: min – max",
    ]
    assert pieces[1] == [
        "                         mrr ties:",
        "  run             min – mean – max",
        "  tied    0.2500 – 0.5208 – 1.0000",
        "  clear   0.5000 – 0.5000 – 0.5000",
    ]


def test_the_profile_stands_in_the_first_line():
    result = assay.evaluate(QRELS, POOR, "map", profile="trec_eval-9", name="r")
    first = rendered("table", [result]).splitlines()[0]
    assert first == "2 judged queries · profile: trec_eval-9 · level: grade > 0 · ties: docid_desc"
