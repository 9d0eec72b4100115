"""assay.why in Python: data that can be printed."""

import pytest

import assay

TIED = ({"1": {"d1": 1}}, {"1": {"d3": 5.0, "d4": 5.0, "d1": 5.0, "d2": 5.0}})


def test_explanations_print_as_the_command_does(snapshots):
    found = assay.why(*TIED, "mrr@10", "0.3333")
    assert isinstance(found, list)
    assert [one.metric.name for one in found] == ["mrr@10"]
    one = assay.evaluate(*TIED, "mrr", name="one")
    two = assay.evaluate(*TIED, "mrr", name="two", policy=assay.Policy(ties="docid_asc"))
    both = assay.why(one, two)
    assert [finding.what for finding in both.findings] == ["ties"]
    cases = {
        "a number": found,
        "no number": assay.why(*TIED, "mrr@10"),
        "two metrics": assay.why(*TIED, ["map", "mrr"]),
        "two results": both,
    }
    text = "".join(f"## {name}\n{shown!r}\n{shown}\n\n" for name, shown in cases.items())
    snapshots.check("reports/explanations", text)


def test_every_call_that_is_printed_gives_the_number():
    for how in ({}, {"profile": "beir"}, {"policy": assay.Policy(missing="skip")}):
        found = assay.why(*TIED, "ndcg@10", "0.5000", **how)
        calls = [line.split(": ", 1)[1] for line in str(found).splitlines() if "evaluate" in line]
        assert calls
        for call in calls:
            (value,) = eval(call, {"assay": assay, "qrels": TIED[0], "run": TIED[1]}).summary.values()
            assert value == pytest.approx(0.5)


def test_a_question_that_is_wrong(snapshots):
    (qrels, run), result = TIED, assay.evaluate(*TIED, "mrr")
    cases = {
        "a result and a run": (result, run),
        "judgments and a result": (qrels, result),
        "a metric of two results": (result, result, "map"),
        "no metric": (qrels, run),
    }
    snapshots.check_errors(
        "reports/wrong_questions", {name: lambda asked=asked: assay.why(*asked) for name, asked in cases.items()}
    )
