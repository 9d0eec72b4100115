"""Names of drop-ins: imported when they are asked for, and nothing before."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

DROP_INS = ("ir_measures", "loop", "memorybench", "phentrieve", "pytrec_eval", "ragchat", "ranx")


def test_every_name_is_there():
    for package in DROP_INS:
        module = importlib.import_module(f"assay.compat.{package}")
        assert dir(module) == sorted(set(module.__all__)), package
        names: dict[str, object] = {}
        exec(f"from assay.compat.{package} import *", names)
        assert names.keys() - {"__builtins__"} == set(module.__all__), package
        with pytest.raises(AttributeError, match=f"assay.compat.{package}"):
            module.nothing  # noqa: B018


def test_an_import_loads_hardly_more_than_assay_itself():
    """`import assay` loads no NumPy; nor does a drop-in, which adds no more than its own door."""
    script = f"import assay, sys; known = set(sys.modules); from assay.compat import {', '.join(DROP_INS)}"
    script += "; print(*set(sys.modules) - known)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"assay.compat", *(f"assay.compat.{package}" for package in DROP_INS)}
