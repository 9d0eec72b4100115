"""`--format trec` under the profiles of trec_eval: exactly its lines, as worked out from its source (measures.c and m_*.c).

Values come from pytrec_eval, which has trec_eval 9.0.8 inside. Measures that it lacks are worked out by hand.
"""

from functools import reduce
from operator import add
from pathlib import Path

import pytest
import pytrec_eval

import assay
from assay.cli import main
from assay.evaluation import read_results

QRELS = """q10 0 a 1
q10 0 b 0
q10 0 c 2
q2 0 a 0
q2 0 b 1
q3 0 z 1
q3 0 y 12
q3 0 w 1
q4 0 a 0
q9 0 a 1
"""
RUN = """q2 Q0 a 1 3.0 our tag
q2 Q0 b 2 2.0 our tag
q10 Q0 b 1 3.0 our tag
q10 Q0 a 2 3.0 our tag
q10 Q0 x 3 1.0 our tag
q10 Q0 c 4 1.0 our tag
q3 Q0 y 1 5 our tag
q4 Q0 a 1 5 our tag
q7 Q0 a 1 5 our tag
"""
"""Ties, a query that is missing from the run, one without relevant documents, one without judgments, ids of two lengths."""
CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
OFFICIAL = [
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
    *(f"iprec_at_recall_{point / 10:.2f}" for point in range(11)),
    *(f"P_{k}" for k in CUTS),
]
ALL_TREC = [
    *(*OFFICIAL, "relstring", *(f"recall_{k}" for k in CUTS), "infAP", "gm_bpref"),
    *(f"Rprec_mult_{part / 5:.2f}" for part in range(1, 11)),
    *("utility", "11pt_avg", "binG", "G", "ndcg", "ndcg_rel", "Rndcg", *(f"ndcg_cut_{k}" for k in CUTS)),
    *(*(f"map_cut_{k}" for k in CUTS), *(f"relative_P_{k}" for k in CUTS), "success_1", "success_5", "success_10"),
    *("set_P", "set_relative_P", "set_recall", "set_map", "set_F", "num_nonrel_judged_ret"),
]
ALL_TREC_10 = [*ALL_TREC, "rbp", "rbp_resid", "unj_5", "unj_10", "unj_20"]
SETS = [*OFFICIAL[:5], "utility", *ALL_TREC[-6:-1]]
ONCE = {"runid", "num_q", "gm_map", "gm_bpref"}
"""Printed for all queries together only; relstring is the other way round."""
RELSTRINGS = {"q10": "01-2", "q2": "01", "q3": ">", "q4": "0", "q9": ""}
NEW = {  # in version 10, by hand: p = 0.9, gains are grades divided by the highest grade of the query
    "rbp": {"q10": 0.1 * (0.5 * 0.9 + 0.9**3), "q2": 0.1 * 0.9, "q3": 0.1},
    "rbp_resid": {"q10": 0.9**4 + 0.1 * 0.81},
    "unj_5": {"q10": 1 / 5},
    "unj_10": {"q10": 1 / 10},
    "unj_20": {"q10": 1 / 20},
}
POINTS_OF_10 = {"q10": 11 * [1 / 2], "q2": 11 * [1 / 2], "q3": 5 * [1.0] + 6 * [0.0]}
"""Interpolated precision of version 10, which rounds x · R to the nearest document: R = 2, 1 and 3 with 2, 1 and 1 found."""


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text(QRELS)
    Path("run.txt").write_text(RUN)


def printed(capsys, *words):
    assert main(["score", "qrels.txt", "run.txt", "-f", "trec", *words]) == 0
    return capsys.readouterr().out


def parsed():
    qrels, run = {}, {}
    for query, _, doc, grade in map(str.split, QRELS.splitlines()):
        qrels.setdefault(query, {})[doc] = int(grade)
    for query, _, doc, _, score, *_ in map(str.split, RUN.splitlines()):
        run.setdefault(query, {})[doc] = float(score)
    return qrels, run


def scored(version, *, complete):
    """Query → measure → value, in the order of bytes. With -c, a missing query scores 0."""
    qrels, run = parsed()
    scores = pytrec_eval.RelevanceEvaluator(qrels, pytrec_eval.supported_measures).evaluate(run)
    if complete:
        lowest = {"num_rel": 1.0, "num_q": 1.0, "gm_map": -11.512925, "gm_bpref": -11.512925}
        scores["q9"] = dict.fromkeys(scores["q2"], 0.0) | lowest
    for query, by in scores.items():
        by |= {name: value.get(query, 0.0) for name, value in NEW.items()} | {"relstring": f"'{RELSTRINGS[query]}'"}
        if version == 10:
            points = POINTS_OF_10.get(query, 11 * [0.0])
            by |= {f"iprec_at_recall_{place / 10:.2f}": point for place, point in enumerate(points)}
            by["11pt_avg"] = sum(points) / 11
    return dict(sorted(scores.items()))


def listing(names, version, *, per_query=True, complete=True):
    """What trec_eval prints. Version 9 never lists a missing query."""
    scores = scored(version, complete=complete)
    assert list(scores)[:2] == ["q10", "q2"]
    listed = [query for query in scores if per_query and (version == 10 or query != "q9")]
    lines = [line(name, query, scores[query][name]) for query in listed for name in names if name not in ONCE]
    for name in names:
        values = [by[name] for by in scores.values()]
        if name != "relstring":
            value = "our" if name == "runid" else pytrec_eval.compute_aggregated_measure(name, values)
            lines.append(line(name, "all", value))
    return lines


def line(name, query, value):
    """As trec_eval prints it: %-22s, %s, and %6.4f, %ld or %s."""
    text = value if isinstance(value, str) else str(int(value)) if name.startswith("num_") else f"{value:6.4f}"
    return f"{name:<22}\t{query}\t{text}"


@pytest.mark.parametrize("per_query", [False, True])
@pytest.mark.parametrize(
    ("version", "group", "names"),
    [
        *((version, "official", OFFICIAL) for version in (9, 10)),
        *((version, "set", SETS) for version in (9, 10)),
        (9, "all_trec", ALL_TREC),
        (10, "all_trec", ALL_TREC_10),
    ],
)
def test_groups_line_by_line(capsys, version, group, names, per_query):
    words = ["--profile", f"trec_eval-{version}", "-m", group, *(["--per-query"] if per_query else [])]
    assert printed(capsys, *words, "--missing", "zero").splitlines() == listing(names, version, per_query=per_query)
    if version == 9:
        wanted = listing(names, version, per_query=per_query, complete=False)
        assert printed(capsys, *words).splitlines() == wanted


def test_measures_come_in_the_order_of_the_source(capsys):
    asked = ["P.7,3", "unj", "yaap", "dcg", "ideal_dcg", "recip_rank", "rbp", "num_q", "map", "success"]
    out = printed(capsys, "--profile", "trec_eval-10", "--missing", "zero", "-m", *asked)
    assert [text.split()[0] for text in out.splitlines()] == [
        *("num_q", "map", "recip_rank", "P_3", "P_7", "dcg", "ideal_dcg", "success_1", "success_5", "success_10"),
        *("yaap", "rbp", "unj_5", "unj_10", "unj_20"),
    ]


NAMES_WITH_PARAMETERS = {
    "utility.2,-1,0,0": "utility_2,-1,0,0",
    "11pt_avg..25,.5,.75": "11pt_avg_.25,.5,.75",
    "ndcg.1=3,2=9,4=4.5": "ndcg_1=3,2=9,4=4.5",
    "dcg.1=3.50": "dcg_1=3.50",
    "rbp.p=0.50": "rbp_p=0.50",
    "rbp_resid.p=0.5": "rbp_resid_p=0.5",
    "set_F.0.5": "set_F_0.5",
    "set_F.1": "set_F_1",
    "relstring.3": "relstring_3",
    "relstring.10": "relstring_10",
    "iprec_at_recall..5": "iprec_at_recall_0.50",
    "Rprec_mult.5.0": "Rprec_mult_5.00",
    "ndcg_cut.23": "ndcg_cut_23",
    "map_cut.7": "map_cut_7",
}
"""-m of trec_eval → the name in its output, from its own test output test/out.test.meas_params."""


def test_parameters_are_printed_as_they_were_written(capsys):
    out = printed(capsys, "--profile", "trec_eval-10", "--missing", "zero", "--per-query", "-m", *NAMES_WITH_PARAMETERS)
    names = [text.split("\t")[0].strip() for text in out.splitlines() if "\tq2\t" in text]
    assert sorted(names) == sorted(NAMES_WITH_PARAMETERS.values())
    for text, name in NAMES_WITH_PARAMETERS.items():  # what is printed can be asked for again
        assert assay.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, name).metrics[0].metric is (
            assay.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, text).metrics[0].metric
        )


def test_what_trec_eval_lacks_keeps_its_name_and_comes_last(capsys):
    out = printed(capsys, "--profile", "trec_eval-9", "-m", "err@5", "ndcg(gain=exp)@10", "map")
    assert [text.split()[0] for text in out.splitlines()] == ["map", "err@5", "ndcg(gain=exp)@10"]


def test_a_mean_is_added_up_like_in_trec_eval(capsys):
    """The sum decides how a half at the fifth decimal is rounded; NumPy adds in another order and gives 0.4437."""
    hits = [1, 0, 4, 5, 3, 1, 0, 2, 5, 2, 1, 2, 4, 3, 4, 2, 0, 5, 2, 0, 0, 3, 3, 4, 0, 4, 2, 3, 0, 4, 0, 2]
    queries = [f"q{number:02}" for number in range(len(hits))]
    Path("qrels.txt").write_text("".join(f"{query} 0 d{place} 1\n" for query in queries for place in range(5)))
    rows = [(query, place, "d" if place < n else "x") for query, n in zip(queries, hits, strict=True) for place in range(5)]
    Path("run.txt").write_text("".join(f"{query} Q0 {kind}{place} 1 {9 - place} t\n" for query, place, kind in rows))
    value = reduce(add, [n / 5 for n in hits]) / len(hits)
    for version in (9, 10):
        assert printed(capsys, "--profile", f"trec_eval-{version}", "-m", "P.5") == f"{line('P_5', 'all', value)}\n"
    assert f"{value:.4f}" == "0.4438"


def test_a_saved_result_has_the_same_lines(capsys):
    words = ["--profile", "trec_eval-10", "--missing", "zero", "-m", "all_trec", "yaap", "--per-query"]
    out = printed(capsys, *words, "-o", "result.json")
    assert main(["score", "result.json", "-f", "trec", "--per-query"]) == 0
    assert capsys.readouterr().out == out
    assert read_results("result.json")[0].profile == "trec_eval-10"
