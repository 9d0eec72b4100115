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
    plain = json.loads(assay("drift", "good.run", "good.run", "-f", "json").out)
    assert (plain["rbo"], plain["schema"]) == (1.0, "assay.drift/1")


def test_equal_scores(assay, files):
    (files / "tied.run").write_text("".join(f"q{query} Q0 d{doc} 1 1 tied\n" for query in "12" for doc in range(30)))
    assert assay("drift", "tied.run", "tied.run").out.startswith("Nothing moved that is worth a look.\n")
    assert "1.000; 100.0 %" in assay("drift", "tied.run", "tied.run").out


def test_a_narrow_terminal(files, terminal):
    outcome = terminal("drift", "good.run", "poor.run", columns=50)
    assert max(map(len, outcome.out.splitlines())) <= 50
    assert "Kolmogorov" in outcome.out


def test_what_is_no_run(assay, files):
    assert assay("drift", "good.run", "none.run").code == 3
    assert assay("drift", "good.run", "qrels.txt").code == 3
    assert assay("drift", "good.run").code == 2
    assert assay("drift", "good.run", "good.run", "--k", "0").code == 2
