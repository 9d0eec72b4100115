"""The commands that assay why prints: each gives the number it stands beside."""

import json
import re
import shlex

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.cli import main

pytestmark = pytest.mark.usefixtures("files")


GRADES = st.sampled_from([-1, 0, 1, 2, 3])
DOCS = st.sampled_from(["1", "d1", "d2", "d3"])
QRELS = st.dictionaries(st.sampled_from("123"), st.dictionaries(DOCS, GRADES, min_size=1), min_size=1)
RUNS = st.dictionaries(
    st.sampled_from("1234"), st.dictionaries(DOCS, st.sampled_from([1.0, 1.0 + 1e-9, 2.0]), min_size=1), min_size=1
)
STARTS = st.sampled_from(
    [
        [],
        ["--missing", "skip"],
        ["--rel", "2", "--judged-only"],
        ["--ties", "docid_asc", "--duplicates", "keep-best"],
        ["--profile", "trec_eval-9"],
        ["--profile", "beir", "--extra", "skip"],
        ["--profile", "ir_measures"],
        ["--profile", "ranx", "--missing", "zero", "--extra", "skip"],
        ["--profile", "sentence-transformers", "--ties", "input_order"],
        ["--profile", "trec_eval-10", "--missing", "zero", "--rel", "2"],
    ]
)
METRICS = st.sampled_from(
    [
        *("ndcg@2", "mrr@2", "map@2", "recall@2", "ndcg(gain=linear)@2", "precision@2", "f1@2", "iprec@0.4", "11pt_avg"),
        *("rbp", "rbp(p=0.8)", "err@3", "ndcg(gain=exp)@2", "accuracy@2", "mrr", "bpref", "hit@1", "map(norm=relevant)@2"),
    ]
)


@pytest.mark.slow
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(QRELS, RUNS, METRICS, STARTS, st.sampled_from([[], ["-e", "0.6"], ["-e", "0.123456"]]))
def test_every_command_it_prints_prints_that_number(capsys, files, qrels, run, metric, start, expected):
    def call(*arguments):
        code = main(list(arguments))
        return code, capsys.readouterr().out

    (files / "q").write_text("".join(f"{q} 0 {d} {g}\n" for q, docs in qrels.items() for d, g in docs.items()))
    (files / "my run").write_text("".join(f"{q} Q0 {d} 1 {s!r} t\n" for q, docs in run.items() for d, s in docs.items()))
    code, out = call("why", "q", "my run", "-m", metric, "-f", "json", *start, *expected)
    if code:
        assert code == 3
        return
    (found,) = json.loads(out)["metrics"]
    commands = {
        figure["reproduce"]: figure["value"]
        for figure in (*found["tools"], *found["conventions"], *found["matches"], *filter(None, [found["nearest"]]))
        if figure["reproduce"] and figure["value"] is not None
    }
    for command, value in commands.items():
        assert command.startswith("assay score q 'my run' -m ")
        code, out = call(*shlex.split(command)[1:], "-f", "json")
        assert code == 0
        ((_, figure),) = json.loads(out)["results"][0]["summary"].items()
        assert figure == pytest.approx(value, abs=1e-12)


def test_the_ways_shown_reproduce_the_number(assay, tied):
    out = assay("why", "q", "r", "-m", "mrr@10", "-e", "0.3333").out
    commands = re.findall(r"(?:Reproduce|or): assay (.*)", out)
    assert len(commands) == 3
    for command in commands:
        assert "0.3333" in assay(*shlex.split(command)).out


def test_two_conventions_are_reproduced_together(assay, files):
    (files / "q").write_text("1 0 a 1\n1 0 b 2\n2 0 c 1\n")
    (files / "r").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    out = assay("why", "q", "r", "-m", "ndcg@10", "-e", "0.7967").out
    assert "No profile gives 0.7967 by itself." in out
    assert "Reason: queries missing from the run are left out; a grade is worth 2^grade − 1." in out
    (command,) = re.findall(r"Reproduce: assay (.*)", out)
    assert command == "score q r -m 'ndcg(gain=exp)@10' --missing skip"
    assert "0.7967" in assay(*shlex.split(command)).out
