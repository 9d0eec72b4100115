"""assay score by the conventions of other tools, and with bands of what they leave open."""

import csv
import io
import json

import pytest

from assay.cli.commands.score import FORMATS

from ._tied import NDCG

pytestmark = pytest.mark.usefixtures("files")


# Profiles of score


@pytest.mark.parametrize(
    ("profile", "ndcg", "mrr"),
    [
        ("trec_eval-9", NDCG, "0.2500"),
        ("trec_eval-10", NDCG, "0.2500"),
        ("pytrec_eval", NDCG, "0.2500"),
        ("ranx", "0.5000", "0.3333"),
        ("ir_measures", NDCG, "1.0000"),
        ("beir", NDCG, "0.3333"),
        ("mteb", NDCG, "0.2500"),
    ],
)
def test_score_as_another_tool(assay, tied, profile, ndcg, mrr):
    code, out, err = assay("score", "q", "r", "-m", "ndcg@10", "mrr@10", "--profile", profile)
    assert (code, err) == (0, "")
    assert f"profile: {profile}" in out.splitlines()[0]
    assert out.splitlines()[3].split()[1:3] == [ndcg, mrr]
    (result,) = json.loads(assay("score", "q", "r", "--profile", profile, "-f", "json").out)["results"]
    assert result["profile"] == profile


def test_a_tool_whose_answer_is_undefined_is_refused(assay, tied):
    code, out, err = assay("score", "q", "r", "-m", "mrr@10", "--profile", "sentence-transformers")
    assert (code, out) == (3, "")
    assert "profile sentence-transformers: documents with equal scores" in err
    assert "--ties docid_desc chooses one" in err
    assert assay("score", "q", "r", "-m", "mrr@10", "--profile", "sentence-transformers", "--ties", "docid_desc").code == 0


def test_a_flag_wins_over_the_profile(assay, tied):
    def mrr(*flags):
        return assay(
            "score", "q", "r", "-m", "mrr@10", "--profile", "beir", *flags, "-f", "csv", "--ci", "none", "--digits", "4"
        ).out.split()[-1]

    assert mrr() == "r,1,0.3333"
    assert mrr("--ties", "docid_asc") == "r,1,1.0000"
    assert mrr("--ties", "docid_desc") == "r,1,0.2500"
    assert mrr("--ties", "expected") == "r,1,0.5208"


@pytest.mark.parametrize(("given", "near"), [("trec_eval", "trec_eval-9"), ("bier", "beir"), ("pytrec-eval", "pytrec_eval")])
def test_an_unknown_profile_is_told_before_files_are_touched(assay, given, near):
    code, out, err = assay("score", "gone", "gone", "--profile", given)
    assert (code, out) == (2, "")
    assert f"no profile is called '{given}'. Did you mean " in err
    assert near in err


# Bands of score


def test_tie_bands_and_residuals_beside_the_figures(assay, tied):
    out = assay("score", "q", "r", "-m", "mrr@10", "--tie-band", "--residuals").out
    assert out.splitlines()[2:4] == [
        "  run   mrr@10   mrr@10 ties: min – mean – max   mrr@10 unjudged: min – max   judged@10",
        "  r     0.2500        0.2500 – 0.5208 – 1.0000              0.2500 – 1.0000      0.2500",
    ]
    assert "r: equal scores leave ranks open in 1 of 1 query." in out
    assert "shows what that" not in out


@pytest.mark.parametrize("per_query", [(), ("--per-query",)])
@pytest.mark.parametrize("name", FORMATS)
def test_bands_in_every_format(assay, tied, name, per_query):
    flags = ("--tie-band", "--residuals", "-f", name, *per_query)
    code, out, err = assay("score", "q", "r", "-m", "mrr@10", "ndcg@10", *flags)
    assert code == 0
    assert ("note: " in err) == (name in ("csv", "trec"))
    if name == "csv":
        rows = list(csv.DictReader(io.StringIO(out)))
        assert float(rows[-1]["mrr@10 ties mean"]) == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)
        assert (rows[-1]["mrr@10 ties min"], rows[-1]["mrr@10 ties max"]) == ("0.25", "1.0")
        assert (rows[-1]["mrr@10 unjudged min"], rows[-1]["mrr@10 unjudged max"]) == ("0.25", "1.0")
    elif name == "json":
        (result,) = json.loads(out)["results"]
        assert result["tie_bands"]["mrr@10"]["min"] == 0.25
        assert result["residuals"].keys() == {"mrr@10", "ndcg@10"}
    elif name != "trec":
        assert "0.5208" in out


def test_hints_come_only_where_nobody_asked(assay, tied):
    plain = assay("score", "q", "r", "-m", "mrr@10").out
    assert "queries with equal scores in the first 10: r 100 %; --tie-band shows what that could change." in plain
    assert "unjudged among the first 10: r 75 %; --residuals shows what that could change." in plain
    asked = assay("score", "q", "r", "-m", "mrr@10", "--tie-band", "--residuals").out
    assert "--tie-band" not in asked
    assert "--residuals" not in asked
    assert "got one and the same score for all documents" in plain


def test_queries_that_are_missing_are_not_called_unjudged(assay):
    assert "unjudged among" not in assay("score", "qrels.txt", "poor.run", "-m", "map").out
