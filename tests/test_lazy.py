"""Front doors: names of a package that are imported when somebody asks for them, out of a stub."""

from __future__ import annotations

import importlib
import os
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import assay

SOURCE = Path(assay.__file__).parent
DOORS = [".".join(stub.relative_to(SOURCE.parent).parts[:-1]) for stub in sorted(SOURCE.rglob("__init__.pyi"))]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with a door, two files, and a name that is one of them."""
    folder = tmp_path / "a_house"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from assay.lazy import front_door\n__getattr__, __dir__, __all__ = front_door(__name__, {'roof': 'look up'})\n"
    )
    (folder / "__init__.pyi").write_text(
        "from a_house import cellar as cellar\nfrom a_house.cellar import Wine as Wine\n"
        "from a_house.attic import dust as dirt\n"
        '\n__all__ = ["Wine", "dirt"]\n'
    )
    (folder / "cellar.py").write_text("class Wine:\n    pass\n")
    (folder / "attic.py").write_text("dust = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    yield importlib.import_module("a_house")
    for name in [name for name in sys.modules if name.partition(".")[0] == "a_house"]:
        del sys.modules[name]


def test_names_are_those_of_the_stub_and_loaded_when_asked_for(package):
    assert "a_house.cellar" not in sys.modules
    assert package.Wine.__module__ == "a_house.cellar"
    assert "a_house.attic" not in sys.modules
    assert package.__all__ == dir(package) == ["Wine", "dirt"]
    assert package.dirt == 1
    assert package.cellar is sys.modules["a_house.cellar"]
    names: dict[str, object] = {}
    exec("from a_house import *", names)
    assert names.keys() - {"__builtins__"} == {"Wine", "dirt"}
    assert type(pickle.loads(pickle.dumps(package.Wine()))) is package.Wine


def test_an_unknown_name_is_an_attribute_error_and_an_absent_one_says_what_to_do(package):
    with pytest.raises(AttributeError, match="module 'a_house' has no attribute 'wine'"):
        _ = package.wine
    with pytest.raises(ImportError, match="cannot import name 'wine' from 'a_house'"):
        from a_house import wine  # noqa: F401
    with pytest.raises(ImportError, match="roof is not in a_house: look up"):
        from a_house import roof  # noqa: F401


def test_what_is_replaced_in_its_file_is_replaced_at_the_door(package, monkeypatch):
    assert package.dirt == 1
    monkeypatch.setattr("a_house.attic.dust", 2)
    assert package.dirt == 2


def test_every_name_of_every_door_is_there():
    for door in DOORS:
        package = importlib.import_module(door)
        stub = Path(str(package.__file__)).with_suffix(".pyi").read_text(encoding="utf-8")
        names: dict[str, object] = {}
        exec(compile(stub, door, "exec"), names)
        listed = names.pop("__all__", None)
        assert package.__all__ == sorted(listed if isinstance(listed, list) else names.keys() - {"__builtins__"}), door
        assert dir(package) == sorted(set(package.__all__)), door
        for name in names.keys() - {"__builtins__"}:
            assert getattr(package, name) is names[name], (door, name)
        with pytest.raises(AttributeError, match=door):
            _ = package.no_such_name


@pytest.mark.slow
def test_a_zip_file_is_as_good_as_a_folder_and_the_model_alone_reads_files(tmp_path):
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 0.5 tag\n")
    with zipfile.ZipFile(tmp_path / "assay.zip", "w") as archive:
        for file in SOURCE.rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts:
                archive.write(file, file.relative_to(SOURCE.parent))
    code = (
        "import sys; sys.path.insert(0, 'assay.zip')\n"
        "from assay.model import Run\n"
        "assert dict(Run('a.run')['q1']) == {'d1': 0.5}\n"
        "import assay\n"
        "assert 'assay.zip' in assay.__file__\n"
        "assert assay.evaluate({'q': {'d': 1}}, {'q': ['d']}, 'mrr')['mrr'] == 1.0\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, env=environment)
