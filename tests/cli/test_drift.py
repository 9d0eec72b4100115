"""assay drift: two runs, no judgments."""

import json


def test_two_runs(assay, files):
    outcome = assay("drift", "good.run", "poor.run")
    assert outcome.code == 0
    assert outcome.out.startswith("Something moved: rankings differ: RBO ")
    assert "1 query of before are not in the run now" in outcome.out
    assert "1 query in both runs, 1 only before" in outcome.out


def test_the_same_run(assay, files):
    outcome = assay("drift", "good.run", "good.run")
    assert outcome.out.startswith("Nothing moved that is worth a look.\n2 queries in both runs\n")
    assert json.loads(assay("drift", "good.run", "good.run", "-f", "json").out)["rbo"] == 1.0


def test_what_is_no_run(assay, files):
    assert assay("drift", "good.run", "none.run").code == 3
    assert assay("drift", "good.run", "qrels.txt").code == 3
    assert assay("drift", "good.run").code == 2
    assert assay("drift", "good.run", "good.run", "--k", "0").code == 2
