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
from assay.errors import UnknownName, UsageError
from assay.fusion import Fusion
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


FRUIT = """
from test_catalog import Fruit

def apple():
    '''Round, and red or green.

    Some are yellow;
    those are sweet.
    '''

APPLE = Fruit("apple", apple)
"""
PEARS = """
from shop_of_things.apples import APPLE
from test_catalog import Fruit

PEAR, QUINCE = (Fruit(name, meaning=f"a {name}.") for name in ("pear", "quince"))
OTHER = 1
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A catalog of three entries in two files, with some machinery beside them."""
    folder = tmp_path / "shop_of_things"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "apples.py").write_text(FRUIT)
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


@pytest.mark.usefixtures("package")
def test_every_record_that_a_file_defines_is_an_entry():
    assert list(load()) == ["apple", "pear", "quince"]


@pytest.mark.usefixtures("package")
def test_an_entry_is_described_by_the_docstring_of_its_function_or_by_what_made_it():
    entries = load()
    assert entries["apple"].meaning == "round, and red or green."
    assert entries["apple"].edge_cases == "Some are yellow; those are sweet."
    assert entries["quince"].meaning == "a quince."


def test_a_meaning_that_is_given_leaves_the_docstring_to_edge_cases():
    def sour():
        """Never ripe.

        Not even in autumn.
        """

    assert Fruit("plum", sour, meaning="BLUE.").edge_cases == "Never ripe. Not even in autumn."
    assert Fruit("plum", sour).meaning == "never ripe."


def test_a_meaning_keeps_the_capitals_of_a_short_name():
    def bleu():
        """BLEU of all answers."""

    assert Fruit("bleu", bleu).meaning == "BLEU of all answers."


def test_two_entries_of_one_name_are_an_error(package):
    (package / "worms.py").write_text("from test_catalog import Fruit\nWORM = Fruit('apple')\n")
    importlib.invalidate_caches()
    with pytest.raises(UsageError, match="2 fruits are called apple; a plug-in needs a name of its own"):
        load()


@pytest.mark.usefixtures("package")
def test_other_packages_add_entries(announce):
    announce(fruits=[Point("plum", Fruit("blue_plum"))], elsewhere=[Point("nut", Fruit("nut"))])
    assert list(load()) == ["apple", "blue_plum", "pear", "quince"]


@pytest.mark.usefixtures("package")
def test_other_packages_replace_nothing(announce):
    announce(fruits=[Point("apple", Fruit("worm"))])
    with pytest.raises(UsageError, match=r"the plug-in apple .* has the name of one that is there already"):
        list(load())
    announce(fruits=[Point("worm", Fruit("apple"))])
    with pytest.raises(UsageError, match="2 fruits are called apple; a plug-in needs a name of its own"):
        list(load())


@pytest.mark.usefixtures("package")
def test_a_plug_in_is_loaded_when_it_is_asked_for(announce, monkeypatch):
    point = Point("plum", Fruit("plum"))
    monkeypatch.setattr(point, "load", lambda: 1 / 0)
    announce(fruits=[point])
    assert load()["apple"].name == "apple"
    assert "pear" in load()


@pytest.mark.usefixtures("package")
def test_a_broken_plug_in_is_named(announce, monkeypatch):
    point = Point("plum", Fruit("plum"))
    monkeypatch.setattr(point, "load", lambda: 1 / 0)
    announce(fruits=[point])
    with pytest.raises(UsageError, match=r"the plug-in plum \(elsewhere:plum\) cannot be loaded: ZeroDivisionError"):
        list(load())


def files_of(folder):
    package = importlib.import_module(folder)
    names = [one.name for one in pkgutil.iter_modules(package.__path__) if not one.name.startswith("_") and not one.ispkg]
    return [importlib.import_module(f"{folder}.{name}") for name in names]


@pytest.mark.parametrize("folder", CATALOGS)
def test_a_file_of_a_catalog_defines_records_of_its_kind_and_no_other(folder):
    kinds = tuple(kind for kind, _ in CATALOGS.values())
    wrong = {
        module.__name__: found
        for module in files_of(folder)
        if (found := {type(one).__name__ for one in vars(module).values() if isinstance(one, kinds)})
        != {CATALOGS[folder][0].__name__}
    }
    assert wrong == {}


@pytest.mark.parametrize("folder", CATALOGS)
def test_the_function_of_every_record_says_what_it_does_in_one_sentence_first(folder):
    kind, function = CATALOGS[folder]
    records = [one for module in files_of(folder) for one in vars(module).values() if isinstance(one, kind)]
    assert records
    records = [one for one in records if getattr(one, function) is not None]
    first = {one.name: (inspect.getdoc(getattr(one, function)) or "").partition("\n")[0] for one in records}
    assert {name: line for name, line in first.items() if not line} == {}
    if issubclass(kind, Described):
        assert {name: line for name, line in first.items() if not re.fullmatch(r"[A-Z0-9](?!.*[.!?] [A-Z]).*\.", line)} == {}


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
