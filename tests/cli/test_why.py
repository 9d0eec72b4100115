"""assay why: a number and where it comes from, why two results differ, and commands that give the numbers again."""

import json
import re
import shlex

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.cli import main

from ._tied import TIED_RUN

pytestmark = pytest.mark.usefixtures("files")
HOSTILE = "\x1b[31mred\x9b2J\x07"
DOCS = st.sampled_from(["1", "d1", "d2", "d3"])
QRELS = st.dictionaries(
    st.sampled_from("123"), st.dictionaries(DOCS, st.sampled_from([-1, 0, 1, 2, 3]), min_size=1), min_size=1
)
SCORES = st.sampled_from([1.0, 1.0 + 1e-9, 2.0])
RUNS = st.dictionaries(st.sampled_from("1234"), st.dictionaries(DOCS, SCORES, min_size=1), min_size=1)
STARTS = "|--missing skip|--rel 2 --judged-only|--ties docid_asc --duplicates keep-best|--profile trec_eval-9"
STARTS += "|--profile beir --extra skip|--profile ir_measures|--profile ranx --missing zero --extra skip"
STARTS += "|--profile sentence-transformers --ties input_order|--profile trec_eval-10 --missing zero --rel 2"
METRICS = "ndcg@2 mrr@2 map@2 recall@2 ndcg(gain=linear)@2 precision@2 f1@2 iprec@0.4 11pt_avg rbp rbp(p=0.8) err@3"
METRICS += " ndcg(gain=exp)@2 accuracy@2 mrr bpref hit@1 map(norm=relevant)@2"


def test_numbers_and_where_they_come_from(transcript):
    transcript("why/numbers")
    transcript("why/found")


def test_two_results(transcript):
    transcript("why/results")


def test_a_run_from_standard_input_and_from_a_result(assay, place, stdin, tied):
    stdin(TIED_RUN)
    assert "ranx and beir give 0.3333." in assay("why", "q", "-", "-m", "mrr@10", "-e", "0.3333").out
    assert assay("eval", "plan.yaml", "--quiet", "-o", "kept.json").code == 0
    stored = assay("why", "--dataset", "small.json", "latest", "-m", "mrr")
    assert (stored.code, stored.out) == (0, assay("why", "--dataset", "small.json", "kept.json", "-m", "mrr").out)


def test_nothing_raw_reaches_the_terminal(assay, files):
    odd = f"run{HOSTILE}"
    (files / "q.json").write_text(json.dumps({HOSTILE: {"a": 1}, "2": {"a": 1}, "x\u2028y": {"b": 1}}))
    (files / odd).write_text(json.dumps({HOSTILE: {"a": 1.0, "b": 1.0}, "2": {"a": 1.0, HOSTILE: 1.0}}))
    (files / "tame").write_text(json.dumps({HOSTILE: {"a": 1.0, "b": 2.0}}))
    for run, file in ((odd, "a.json"), ("tame", "b.json")):
        (files / file).write_text(assay("score", "q.json", run, "-m", "mrr", "-f", "json").out)
    for form in ("table", "json"):
        why = ("why", "q.json", odd, "-f", form, "-m")
        outputs = [assay(*why, "mrr", *flags) for flags in ((), ("-e", "1.0"), ("-e", "0.123"), ("--profile", "ranx"))]
        outputs += [assay("why", "a.json", word, "-f", form) for word in ("b.json", f"b.json#{HOSTILE}", odd)]
        outputs += [assay(*why, HOSTILE), assay(*why, "map", "-e", HOSTILE)]
        texts = [text for output in outputs for text in output[1:]]
        assert sum("red" in text for text in texts) > 5
        assert not {"\x1b", "\x9b", "\x07", "\u2028"} & set("".join(texts))


def test_the_commands_shown_give_the_number(assay, tied, files):
    commands = re.findall(r"(?:Reproduce|or): assay (.*)", assay("why", "q", "r", "-m", "mrr@10", "-e", "0.3333").out)
    assert len(commands) == 3
    for command in commands:
        assert "0.3333" in assay(*shlex.split(command)).out, command
    (files / "q").write_text("1 0 a 1\n1 0 b 2\n2 0 c 1\n")
    (files / "r").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    (command,) = re.findall(r"Reproduce: assay (.*)", assay("why", "q", "r", "-m", "ndcg@10", "-e", "0.7967").out)
    assert command == "score q r -m 'ndcg(gain=exp)@10' --missing skip"
    assert "0.7967" in assay(*shlex.split(command)).out


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(QRELS, RUNS, *map(st.sampled_from, (METRICS.split(), STARTS.split("|"), ([], ["-e", "0.6"], ["-e", "0.123456"]))))
def test_every_command_it_prints_prints_that_number(capsys, files, qrels, run, metric, start, expected):
    def call(*words):
        code = main(list(words))
        return code, capsys.readouterr().out

    (files / "q").write_text("".join(f"{q} 0 {d} {g}\n" for q, docs in qrels.items() for d, g in docs.items()))
    (files / "my run").write_text("".join(f"{q} Q0 {d} 1 {s!r} t\n" for q, docs in run.items() for d, s in docs.items()))
    code, out = call("why", "q", "my run", "-m", metric, "-f", "json", *start.split(), *expected)
    if code:
        assert code == 3
        return
    (found,) = json.loads(out)["metrics"]
    figures = (*found["tools"], *found["conventions"], *found["matches"], *filter(None, [found["nearest"]]))
    commands = {one["reproduce"]: one["value"] for one in figures if one["reproduce"] and one["value"] is not None}
    for command, value in commands.items():
        code, out = call(*shlex.split(command)[1:], "-f", "json")
        assert code == 0, command
        ((_, figure),) = json.loads(out)["results"][0]["summary"].items()
        assert figure == pytest.approx(value, abs=1e-12), command
