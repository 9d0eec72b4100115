"""Front doors: names of a package that are imported when somebody asks for them, out of a stub."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import assay

SOURCE = Path(assay.__file__).parent
DOORS = [".".join(stub.relative_to(SOURCE.parent).parts[:-1]) for stub in sorted(SOURCE.rglob("__init__.pyi"))]


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
        with pytest.raises(AttributeError, match=f"module '{door}' has no attribute 'no_such_name'"):
            _ = package.no_such_name
        starred: dict[str, object] = {}
        exec(f"from {door} import *", starred)
        assert starred.keys() - {"__builtins__"} == set(package.__all__), door


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
