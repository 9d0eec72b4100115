"""assay.why in Python: data that can be printed."""

import pytest

import assay

TIED = ({"1": {"d1": 1}}, {"1": {"d3": 5.0, "d4": 5.0, "d1": 5.0, "d2": 5.0}})


def test_explanations_are_a_list_that_prints_as_the_command_does():
    found = assay.why(*TIED, "mrr@10", "0.3333")
    assert isinstance(found, list)
    assert [one.metric.name for one in found] == ["mrr@10"]
    assert str(found).startswith("mrr@10: assay says 0.2500. 0.3333 is what ranx and beir give.\n")
    assert "Reproduce: assay.evaluate(qrels, run, 'mrr@10', profile='ranx')\n" in str(found)
    assert str(found).endswith("or: assay.evaluate(qrels, run, 'mrr@10', policy=assay.Policy(ties='input_order'))")
    assert repr(found) == "Explanations(mrr@10=0.2500; 4 ways to 0.3333)"
    assert repr(assay.why(*TIED, ["map", "mrr"])) == "Explanations(map=0.2500, mrr=0.2500)"


def test_conventions_are_written_as_python_writes_them():
    text = str(assay.why(*TIED, "mrr@10"))
    assert "  ties='docid_asc' " in text
    assert "  'mrr' " not in text
    assert "--" not in text


def test_every_call_that_is_printed_gives_the_number():
    for how in ({}, {"profile": "beir"}, {"policy": assay.Policy(missing="skip")}):
        (found,) = assay.why(*TIED, "ndcg@10", "0.5000", **how)
        calls = [
            line.split(": ", 1)[1]
            for line in str(assay.why(*TIED, "ndcg@10", "0.5000", **how)).splitlines()
            if "evaluate" in line
        ]
        assert calls
        for call in calls:
            (value,) = eval(call, {"assay": assay, "qrels": TIED[0], "run": TIED[1]}).summary.values()
            assert value == pytest.approx(0.5)
        assert found.matches


def test_two_results_are_compared():
    one = assay.evaluate(*TIED, "mrr", name="one")
    two = assay.evaluate(*TIED, "mrr", name="two", policy=assay.Policy(ties="docid_asc"))
    found = assay.why(one, two)
    assert str(found).startswith("the shared metric differs between one and two. Reason: ties. The rankings are the same")
    assert repr(found) == "Comparison(1 of 1 shared metric differing)"
    assert [finding.what for finding in found.findings] == ["ties"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("result", "run"), "give two results, or judgments and a run"),
        (("qrels", "result"), "give two results, or judgments and a run"),
        (("result", "result", "map"), "two results are compared as they were scored"),
        (("qrels", "run"), "say what to explain"),
    ],
)
def test_a_question_that_is_wrong(arguments, said):
    data = {"qrels": TIED[0], "run": TIED[1], "result": assay.evaluate(*TIED, "mrr")}
    with pytest.raises(assay.UsageError, match=said):
        assay.why(*(data.get(one, one) for one in arguments))
