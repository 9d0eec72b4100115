"""Catalogs: a folder whose files are entries, and entry points beside them."""

import importlib
import re
import sys

import pytest

from assay import catalog
from assay.catalog import find_by_any_name, find_entry, load_entries
from assay.errors import UnknownName, UsageError


class Point:
    """An entry point another package announces."""

    def __init__(self, name, entry):
        self.name, self.entry, self.value = name, entry, f"elsewhere:{name}"

    def load(self):
        return self.entry


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A catalog of two entries with some machinery beside them."""
    folder = tmp_path / "shop_of_things"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "apple.py").write_text("THING = 'an apple'\n")
    (folder / "pear.py").write_text("THING = 'a pear'\nOTHER = 1\n")
    (folder / "_machinery.py").write_text("raise RuntimeError('machinery is not for the catalog to load')\n")
    (folder / "notes.txt").write_text("not Python")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "shop_of_things"]:
        del sys.modules[name]


@pytest.fixture
def announce(monkeypatch):
    """Have other packages announce entries."""

    def set_points(**groups):
        monkeypatch.setattr(catalog, "entry_points", lambda group: groups.get(group, ()))

    return set_points


@pytest.mark.usefixtures("package")
def test_every_file_is_an_entry_unless_it_has_an_underscore():
    assert load_entries("shop_of_things", "THING") == {"apple": "an apple", "pear": "a pear"}


def test_a_file_without_its_entry_is_a_bug(package):
    (package / "stray.py").write_text("THNIG = 'a typo'\n")
    importlib.invalidate_caches()
    with pytest.raises(AttributeError, match="THING"):
        load_entries("shop_of_things", "THING")


@pytest.mark.usefixtures("package")
def test_other_packages_add_entries(announce):
    announce(shop_of_things=[Point("plum", "a plum")], elsewhere=[Point("nut", "a nut")])
    assert load_entries("shop_of_things", "THING") == {"apple": "an apple", "pear": "a pear", "plum": "a plum"}


@pytest.mark.usefixtures("package")
def test_other_packages_replace_nothing(announce):
    announce(shop_of_things=[Point("apple", "a worm")])
    with pytest.raises(UsageError, match=r"the plug-in apple .* has the name of one that is there already"):
        load_entries("shop_of_things", "THING")


@pytest.mark.usefixtures("package")
def test_a_broken_plug_in_is_named(announce, monkeypatch):
    point = Point("plum", "a plum")
    monkeypatch.setattr(point, "load", lambda: 1 / 0)
    announce(shop_of_things=[point])
    with pytest.raises(UsageError, match=r"the plug-in plum \(elsewhere:plum\) cannot be loaded: ZeroDivisionError"):
        load_entries("shop_of_things", "THING")


def test_a_metric_of_another_package_is_a_metric_like_any(announce, monkeypatch):
    import assay
    from assay.metrics import _registry
    from assay.metrics._metric import Metric

    def depth(run):
        """How much was retrieved."""
        return run.n_retrieved.astype(float)

    announce(**{"assay.metrics": [Point("depth", Metric("depth", depth, aliases=("how_deep",)))]})
    for function in (_registry.all_metrics, _registry.all_spellings):
        monkeypatch.setattr(_registry, function.__name__, function.__wrapped__)
        monkeypatch.setattr(f"assay.metrics._parse.{function.__name__}", function.__wrapped__, raising=False)
    assert assay.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0, "e": 0.5}}, ["How-Deep"]).summary == {"depth": 2.0}


@pytest.mark.parametrize(
    ("name", "attribute"), [("assay.metrics", "METRIC"), ("assay.reports", "RENDERER"), ("assay.cli", "COMMAND")]
)
def test_our_own_catalogs_hold_one_entry_per_file(name, attribute):
    entries = load_entries(name, attribute)
    assert len({entry.name for entry in entries.values()}) == len(entries)
    assert all(re.fullmatch(r"[a-z0-9_]+", file) for file in entries)


def test_an_entry_is_found_by_its_name_or_what_may_be_meant_is_told():
    known = {"bm25": 1, "dense": 2}
    assert find_entry("provider", "dense", known) == 2
    with pytest.raises(UnknownName, match=r"no provider is called 'bm2'\. Did you mean bm25\?   \(there are bm25, dense\)"):
        find_entry("provider", "bm2", known)


class Named:
    """An entry with other names."""

    def __init__(self, *aliases):
        self.aliases = aliases


def test_an_entry_is_found_by_any_of_its_names_however_they_are_written():
    student, sign = Named("student", "t_test"), Named()
    known = {"paired_t": student, "sign": sign}
    assert [find_by_any_name("test", name, known) for name in ("paired_t", " Paired-T ", "T-test", "student")] == [
        student
    ] * 4
    assert find_by_any_name("test", "SIGN", known) is sign
    with pytest.raises(UnknownName, match=r"no test is called 'sgin'\. Did you mean sign"):
        find_by_any_name("test", "sgin", known)


def test_entries_without_other_names_are_found_by_their_own():
    assert find_by_any_name("fruit", "Red-Apple", {"red_apple": "an apple"}) == "an apple"
