"""Catalogs: a folder whose records are entries, and entry points beside them."""

import importlib
import inspect
import pkgutil
import re
import sys
from dataclasses import dataclass

import pytest

from assay import catalog
from assay.catalog import Described, find_by_any_name, find_entry, load_entries
from assay.charts import Chart
from assay.chunkers import Chunker
from assay.datasets import Format
from assay.errors import UsageError
from assay.fusion import Fusion
from assay.judging import Design
from assay.metrics import Metric
from assay.ontology import Similarity
from assay.providers import Provider
from assay.relevance import Resolver
from assay.reports import all_renderers
from assay.stats import all_tests

CATALOGS = {
    "assay.charts.catalog": (Chart, "function"),
    "assay.chunkers.catalog": (Chunker, "split"),
    "assay.cli.commands": (type(importlib.import_module("assay.cli.commands.score").COMMAND), "run"),
    "assay.datasets.formats": (Format, "read"),
    "assay.fusion.catalog": (Fusion, "function"),
    "assay.judging.catalog": (Design, "function"),
    "assay.metrics.catalog": (Metric, "function"),
    "assay.ontology.catalog": (Similarity, "function"),
    "assay.providers.catalog": (Provider, "make"),
    "assay.relevance.catalog": (Resolver, "resolve"),
    "assay.reports.renderers": (type(all_renderers()["csv"]), "render"),
    "assay.stats.catalog": (type(all_tests()["friedman"]), "function"),
}
"""Folder → what its files define, and which field of it is the function."""


class Point:
    """An entry point another package announces."""

    def __init__(self, name, entry):
        self.name, self.entry, self.value = name, entry, f"elsewhere:{name}"

    def load(self):
        return self.entry


@dataclass(frozen=True)
class Fruit(Described):
    """What the catalogs of these tests hold."""

    name: str
    function: object = None


APPLES = "from test_catalog import Fruit\nAPPLE = Fruit('apple', meaning='a fruit.')\n"
PEARS = """
from shop_of_things.apples import APPLE
from test_catalog import Fruit

PEAR, QUINCE = (Fruit(name) for name in ("pear", "quince"))
OTHER = 1
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A catalog of three entries in two files, with some machinery beside them."""
    folder = tmp_path / "shop_of_things"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "apples.py").write_text(APPLES)
    (folder / "pears.py").write_text(PEARS)
    (folder / "_machinery.py").write_text("raise RuntimeError('machinery is not for the catalog to load')\n")
    (folder / "notes.txt").write_text("not Python")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "test_catalog", sys.modules[__name__])
    importlib.invalidate_caches()
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "shop_of_things"]:
        del sys.modules[name]


@pytest.fixture
def announce(monkeypatch):
    """Have other packages announce entries."""

    def set_points(**groups):
        monkeypatch.setattr(catalog, "plug_in_points", lambda group: groups.get(group, ()))

    return set_points


def load():
    return load_entries("shop_of_things", Fruit, "fruits")


def test_other_packages_add_entries(package, announce):
    broken = Point("plum", Fruit("plum"))
    broken.load = lambda: 1 / 0
    announce(fruits=[broken])
    assert load()["apple"].meaning == "a fruit.", "a plug-in is loaded when it is asked for"
    announce(fruits=[Point("plum", Fruit("blue_plum"))], elsewhere=[Point("nut", Fruit("nut"))])
    assert list(load()) == ["apple", "blue_plum", "pear", "quince"]


def test_what_is_wrong_with_plug_ins_is_told(package, announce, snapshots):
    def listed(point):
        announce(fruits=[point] if point else [])
        return list(load())

    broken = Point("plum", Fruit("plum"))
    broken.load = lambda: 1 / 0
    cases = {
        "a name that is there": lambda: listed(Point("apple", Fruit("worm"))),
        "an entry that is there": lambda: listed(Point("worm", Fruit("apple"))),
        "broken": lambda: listed(broken),
        "a class": lambda: listed(Point("plum", Fruit)),
        "something else": lambda: listed(Point("plum", 5)),
        "unknown": lambda: find_entry("provider", "bm2", {"bm25": 1, "dense": 2}),
        "unknown by any name": lambda: find_by_any_name("test", "sgin", {"sign": Named()}),
    }
    snapshots.check_errors("errors/catalog", cases)
    (package / "worms.py").write_text("from test_catalog import Fruit\nWORM = Fruit('apple')\n")
    importlib.invalidate_caches()
    with pytest.raises(UsageError, match="2 fruits are called apple"):
        listed(None)


def files_of(folder):
    package = importlib.import_module(folder)
    names = [one.name for one in pkgutil.iter_modules(package.__path__) if not one.name.startswith("_") and not one.ispkg]
    return [importlib.import_module(f"{folder}.{name}") for name in names]


def test_a_file_of_a_catalog_defines_records_of_its_kind_with_functions_that_say_what_they_do():
    kinds = tuple(kind for kind, _ in CATALOGS.values())
    for folder, (kind, function) in CATALOGS.items():
        for module in files_of(folder):
            records = [one for one in vars(module).values() if isinstance(one, kinds)]
            assert {type(one) for one in records} == {kind}, module.__name__
            for record in records:
                if getattr(record, function) is not None:
                    first = (inspect.getdoc(getattr(record, function)) or "").partition("\n")[0]
                    sentence = r"[A-Z0-9](?!.*[.!?] [A-Z]).*\." if issubclass(kind, Described) else ".+"
                    assert re.fullmatch(sentence, first), (folder, record.name, first)


class Named:
    """An entry with other names."""

    def __init__(self, *aliases):
        self.aliases = aliases


def test_an_entry_is_found_by_any_of_its_names_however_they_are_written():
    student, sign = Named("student", "t_test"), Named()
    known = {"paired_t": student, "sign": sign}
    for name, entry in {
        "paired_t": student,
        " Paired-T ": student,
        "T-test": student,
        "student": student,
        "SIGN": sign,
    }.items():
        assert find_by_any_name("test", name, known) is entry, name
    assert find_by_any_name("fruit", "Red-Apple", {"red_apple": "an apple"}) == "an apple"
    assert find_entry("provider", "dense", {"bm25": 1, "dense": 2}) == 2
