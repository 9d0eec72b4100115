"""-v: timings and choices on standard error, by every command that computes; the output stays what it was."""

COMPUTING = {"answers", "compare", "drift", "eval", "fuse", "gate", "moe", "plot", "power", "report", "score", "why"}


def test_every_command_that_computes_has_it(assay):
    for name in COMPUTING:
        assert "--verbose" in assay(name, "--help").out, name


def test_formats_conventions_methods_and_times_are_told(assay, files, transcript):
    transcript("verbose/told")
    words = ("compare", "qrels.txt", "good.run", "poor.run", "-m", "map")
    assert assay(*words, "-v").out == assay(*words).out


def test_eval_tells_its_plan_and_what_took_long(assay, place):
    lines = assay("eval", "plan.yaml", "--no-store", "-v").err.splitlines()
    assert [line.partition(":")[0] for line in lines[:5]] == ["metrics", "policy", "relevance", "queries", "statistics"]
    assert any("python:mine:search: indexing " in line for line in lines)
