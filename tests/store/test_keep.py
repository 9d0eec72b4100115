"""Results are never lost: where the store fails, they go into a file that can be imported."""

import re
import tempfile
from pathlib import Path

import pytest
from tests._results import differences, saved_and_read

from assay.errors import StoreError
from assay.execution import make_plan
from assay.store import Store, keep

from ._results import result_of


def test_by_default_below_the_working_folder(folder):
    plan = make_plan({"benchmarks": "rag-template", "providers": "bm25"})
    name = keep([result_of(1)], plan)
    assert (folder / ".assay" / "assay.db").exists()
    with Store.open() as store:
        assert store.latest().id == name
        assert store.latest().plan["benchmarks"] == ["rag-template"]


def test_a_store_that_fails_costs_no_result(folder):
    Path("broken.db").write_bytes(b"no database at all" * 99)
    with pytest.raises(StoreError) as told:
        keep([result_of(1), result_of(2, provider="dense")], {"k": 3}, "broken.db")
    file = re.search(r"results import (\S+)$", str(told.value))[1]
    assert Path(file).parent == Path(".assay/unsaved")
    with Store.open("new.db") as store:
        (name,) = store.import_(file).new
        assert store.find(name).plan == {"k": 3}
        assert differences(store.find(name).results[0], saved_and_read(result_of(1))) == {}
        assert store.save([result_of(1), result_of(2, provider="dense")], {"k": 3}) == name


def test_where_the_folder_cannot_be_written_either(folder, monkeypatch):
    elsewhere = folder / "temporary"
    elsewhere.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere))
    Path(".assay").write_text("in the way")
    with pytest.raises(StoreError):
        keep([result_of(1)])
    (file,) = elsewhere.iterdir()
    with Store.open("new.db") as store:
        assert len(store.import_(file).new) == 1
