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
        save_nights(opened, [0.8] * 15 + [0.6] * 4)
        save_nights(opened, [0.5], provider="dense", benchmark="other")
        yield opened


@pytest.mark.usefixtures("store")
def test_series_and_filters(transcript):
    transcript("history/series")


@pytest.mark.usefixtures("store")
def test_as_data(assay):
    plain = json.loads(assay("history", "-m", "mrr", "-f", "json").out)
    assert [change["place"] for series in plain["series"] for change in series["changes"]] == [15]
    rows = list(csv.DictReader(io.StringIO(assay("history", "-m", "mrr", "--benchmark", "rag", "-f", "csv").out)))
    assert (len(rows), [row["change"] for row in rows].index("step")) == (19, 15)
