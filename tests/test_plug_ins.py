"""Plug-ins are found by their metadata files: the same ones that importlib.metadata finds."""

import os
import shutil
import sys
from importlib.metadata import entry_points

from assay.plug_ins import PlugIn, plug_in_points


def points_of_importlib():
    known = entry_points()
    groups = [group for group in known.groups if group.startswith("assay.")]
    return {(point.group, point.name, point.value) for group in groups for point in known.select(group=group)}


def announce(folder, name, text):
    about = folder / f"{name}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name.partition('-')[0]}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(text)


def test_the_same_as_importlib(tmp_path, monkeypatch):
    first, second = tmp_path / "first", tmp_path / "second"
    announce(first, "Shop_Of.Things-1.0", "[assay.metrics]\nplum = shop:PLUM\n# no = entry\n\n[console_scripts]\na = b:c\n")
    announce(second, "shop_of_things-2.0", "[assay.metrics]\nold = shop:OLD\n")
    announce(second, "other-1.0", "[assay.cli]\ngreet=other.commands:GREET\n[assay.metrics]\nnut = other:NUT [extra]\n")
    monkeypatch.setattr(sys, "path", [str(first), str(second), str(tmp_path / "missing"), *sys.path])
    expected = points_of_importlib()
    assert {tuple(point) for group, _, _ in expected for point in plug_in_points(group)} == expected
    names = {point.name for point in plug_in_points("assay.metrics")}
    assert {"plum", "nut"} <= names
    assert "old" not in names, "a package that comes later on the path is hidden"
    assert [point.name for point in plug_in_points("assay.cli")] == ["greet"]


def test_in_a_zip_file_importlib_finds_them(tmp_path, monkeypatch):
    announce(tmp_path / "content", "zipped-1.0", "[assay.metrics]\nfig = zipped:FIG\n")
    archive = shutil.make_archive(str(tmp_path / "zipped"), "zip", tmp_path / "content")
    monkeypatch.setattr(sys, "path", [archive, *sys.path])
    assert PlugIn("assay.metrics", "fig", "zipped:FIG") in plug_in_points("assay.metrics")


def test_an_entry_is_loaded_by_its_attributes():
    assert PlugIn("assay.x", "join", "os : path.join [extra]").load() is os.path.join
    assert PlugIn("assay.x", "os", "os").load() is os
