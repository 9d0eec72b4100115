"""assay history: series of the store, at the terminal and as data."""

import csv
import io
import json

import pytest

from assay.store import Store

from ._nights import save_nights


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    with Store.open() as opened:
        yield opened


def test_every_series_with_its_step(assay, store):
    save_nights(store, [0.8] * 15 + [0.6] * 4)
    save_nights(store, [0.7], provider="dense")
    outcome = assay("history", "-m", "RR")
    lines = outcome.out.splitlines()
    assert outcome.code == 0
    assert lines[0] == "mrr · 2 series"
    assert lines[2].startswith("  rag · bm25   ███████████████▁▁▁▁  0.800 → 0.600  (19 points)")
    assert lines[3].index("▼") == lines[2].index("▁")
    assert "▼ step 0.800 → 0.600 (worse) since 2026-10-01-rag-" in outcome.out
    assert "rag · dense  ▄  0.700  (1 point)" in outcome.out


def test_filters(assay, store):
    save_nights(store, [0.8, 0.7])
    save_nights(store, [0.5], provider="dense", benchmark="other")
    assert "other" not in assay("history", "-m", "mrr", "--benchmark", "rag").out
    assert "bm25" not in assay("history", "-m", "mrr", "--provider", "dense").out
    nothing = assay("history", "-m", "mrr", "--provider", "nobody")
    assert (nothing.code, nothing.out) == (5, "")
    assert "no stored result has mrr of nobody.   (the providers there are: bm25, dense)" in nothing.err
    assert "Did you mean dense?" in assay("history", "-m", "mrr", "--provider", "dnese").err
    assert "no stored result has ndcg@10.   (the metrics there are: mrr)" in assay("history").err
    assert (
        "no stored result has mrr on rag of dense; "
        in assay("history", "-m", "mrr", "--benchmark", "rag", "--provider", "dense").err
    )
    assert assay("history", "-m", "ncdg").code == 2


def test_as_data(assay, store):
    save_nights(store, [0.8] * 15 + [0.6] * 4)
    plain = json.loads(assay("history", "-m", "mrr", "-f", "json").out)
    assert [change["place"] for change in plain["series"][0]["changes"]] == [15]
    rows = list(csv.DictReader(io.StringIO(assay("history", "-m", "mrr", "-f", "csv").out)))
    assert len(rows) == 19
    assert [row["change"] for row in rows].index("step") == 15


def test_no_store(assay, tmp_path):
    outcome = assay("history", "--store", tmp_path / "none.db")
    assert outcome.code == 6
    assert not (tmp_path / "none.db").exists()


def test_a_narrow_terminal(store, terminal):
    save_nights(store, [0.8] * 30 + [0.6] * 4, provider="hybrid(bm25, dense, method=rrf)")
    outcome = terminal("history", "-m", "mrr", columns=50)
    assert max(map(len, outcome.out.splitlines())) <= 50
    assert "▼ step" in outcome.out
    assert "earlier not drawn)" in outcome.out
