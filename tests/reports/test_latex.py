"""LaTeX tables in booktabs style."""

import re

import pytest

import assay
from assay.reports.markup import ESCAPES

from ._results import HOSTILE, NINE, POOR, banded, hostile_results, is_printable, pair, rendered, result

SPECIAL = re.compile(r"[\\&%$#_{}~^]")
RULES = (r"\toprule", r"\midrule", r"\bottomrule")


def test_two_runs():
    assert rendered("latex", pair()) == (
        "% 2 judged queries · level: grade > 0 · ties: docid_desc\n"
        "% poor: 1 query missing from the run, scored as an empty ranking (q2).\n"
        "\\begin{tabular}{lrrrr}\n"
        "\\toprule\n"
        "run & map & mrr & num\\_q & rbp\\_residual(p=0.5) \\\\\n"
        "\\midrule\n"
        "good & \\textbf{1.0000} & \\textbf{1.0000} & 2 & \\textbf{0.3750} \\\\\n"
        "poor & 0.1250 & 0.2500 & 2 & 0.6250 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
    )


def test_queries_then_summary():
    assert rendered("latex", [result("poor", POOR, ["map", "relstring"])], per_query=True, digits=2) == (
        "% 2 judged queries · level: grade > 0 · ties: docid_desc\n"
        "% poor: 1 query missing from the run, scored as an empty ranking (q2).\n"
        "% poor\n"
        "\\begin{tabular}{lrr}\n"
        "\\toprule\n"
        "query & map & relstring@10 \\\\\n"
        "\\midrule\n"
        "q1 & 0.25 & 02 \\\\\n"
        "q2 & 0.00 &  \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\\begin{tabular}{lr}\n"
        "\\toprule\n"
        "run & map \\\\\n"
        "\\midrule\n"
        "poor & 0.12 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
    )


def test_many_metrics_go_down_the_page():
    lines = rendered("latex", pair(NINE)).splitlines()
    assert lines[2:5] == ["\\begin{tabular}{lrr}", "\\toprule", "metric & good & poor \\\\"]
    assert "rbp\\_residual(p=0.5) & \\textbf{0.3750} & 0.6250 \\\\" in lines


def test_nothing_scored_is_a_dash():
    assert "r & -- \\\\" in rendered("latex", [result("r", POOR, ["map"], rel=9, no_relevant="skip")])


@pytest.mark.parametrize("text", [text for text in HOSTILE if is_printable(text) and "\n" not in text])
def test_a_reader_sees_names_and_ids_exactly_as_they_are(text):
    source = rendered("latex", [assay.evaluate({text: {"d": 1}}, {}, "map", name=text)], per_query=True)
    cells = [line.removesuffix(r" & 0.0000 \\") for line in source.splitlines() if line.endswith(r" & 0.0000 \\")]
    assert [plain(cell) for cell in cells] == [text, text]


def test_every_special_character_is_escaped():
    source = rendered("latex", [assay.evaluate({"q": {"d": 1}}, {}, "map", name="\\&%$#_{}~^<>")])
    assert (
        r"\textbackslash{}\&\%\$\#\_\{\}\textasciitilde{}\textasciicircum{}\textless{}\textgreater{} & 0.0000 \\"
    ) in source.splitlines()


@pytest.mark.parametrize("name", ["[", "[red]x[/red]", "*", "*x*"])
def test_a_name_is_not_taken_as_an_option_of_the_line_before(name):
    r"""LaTeX looks for [ and * after \\ and \midrule, beyond the end of the line."""
    lines = rendered("latex", [assay.evaluate({name: {"d": 1}}, {}, "map", name=name)] * 2, per_query=True).splitlines()
    assert [line for line in lines if line.startswith(("[", "*"))] == []


@pytest.mark.parametrize("per_query", [False, True])
def test_hostile_text_stays_inside_its_table_and_its_comment(per_query):
    tables, at = 0, ""
    for line in re.split(r"[\n\r]", rendered("latex", hostile_results(), per_query=per_query).removesuffix("\n")):
        if not at:
            assert line.startswith(("%", r"\begin{tabular}{lrr}"))
            at = "" if line.startswith("%") else "table"
        elif line == r"\end{tabular}":
            tables, at = tables + 1, ""
        elif line not in RULES:
            assert line.endswith(r" \\")
            assert len(re.findall(r"(?<!\\)&", line)) == 2
    assert not at
    assert tables == 1 + per_query * len(HOSTILE)


def test_bands():
    lines = rendered("latex", banded()).splitlines()
    assert r"run & mrr & mrr ties: min -- mean -- max & mrr unjudged: min -- max \\" in lines
    assert r"tied & 0.2500 & 0.2500 -- 0.5208 -- 1.0000 & 0.2500 -- 1.0000 \\" in lines
    assert r"clear & \textbf{0.5000} & 0.5000 -- 0.5000 -- 0.5000 & 0.5000 -- 1.0000 \\" in lines
    assert any(
        line.startswith("% mrr: clear over tied (by 0.2500, ties could move it by 0.7500) hangs on") for line in lines
    )


def plain(source):
    """What LaTeX sets for it, once it is sure that no special character is left to do harm."""
    source = re.sub(r"\{([\[\]*]?)\}", lambda brace: brace[1] or "\0", source.removeprefix("{}")).replace("\0", "{}")
    back = {escape: letter for letter, escape in ESCAPES.items() if escape.strip()}
    escape = re.compile("|".join(map(re.escape, sorted(back, key=len, reverse=True))))
    kept = escape.sub(lambda match: "" if SPECIAL.search(back[match[0]]) else back[match[0]], source)
    assert not SPECIAL.search(kept)
    return escape.sub(lambda match: back[match[0]], source)
