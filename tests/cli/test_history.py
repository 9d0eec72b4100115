"""assay history: series of the store, at the terminal and as data."""

import json

from assay.store import Store

from ._nights import save_nights


def test_series_filters_and_data(folder, assay, transcript):
    with Store.open() as store:
        save_nights(store, [0.8] * 15 + [0.6] * 4)
        save_nights(store, [0.5], provider="dense", benchmark="other")
    transcript("history/series")
    plain = json.loads(assay("history", "-m", "mrr", "-f", "json").out)
    assert [change["place"] for series in plain["series"] for change in series["changes"]] == [15]
