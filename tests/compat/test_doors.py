"""Names of drop-ins: imported when they are asked for, and nothing before."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

PACKAGES = ("loop", "memorybench", "phentrieve", "ragchat")
"""Stand-ins for the seed systems."""
DROP_INS = ("ir_measures", "pytrec_eval", "ranx")
"""Stand-ins for tools of others."""


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_is_there(package):
    module = importlib.import_module(f"assay.compat.{package}")
    assert dir(module) == sorted(set(module.__all__))
    for name in module.__all__:
        assert getattr(module, name) is not None
    names: dict[str, object] = {}
    exec(f"from assay.compat.{package} import *", names)
    assert names.keys() - {"__builtins__"} == set(module.__all__)


@pytest.mark.parametrize("package", PACKAGES)
def test_an_unknown_name_is_an_attribute_error(package):
    module = importlib.import_module(f"assay.compat.{package}")
    with pytest.raises(AttributeError, match=f"module 'assay.compat.{package}' has no attribute 'nothing'"):
        module.nothing  # noqa: B018


@pytest.mark.parametrize("package", PACKAGES)
def test_an_import_loads_hardly_more_than_assay_itself(package):
    """`import assay` loads no NumPy; nor does a drop-in, which adds no more than its own files."""
    script = "import assay, sys; known = set(sys.modules); import assay.compat.{}; print(*set(sys.modules) - known)"
    done = subprocess.run([sys.executable, "-c", script.format(package)], capture_output=True, text=True, check=True)
    own = {"assay.compat", f"assay.compat.{package}"}
    assert set(done.stdout.split()) == own


@pytest.mark.parametrize("name", DROP_INS)
def test_importing_loads_no_numpy(name):
    code = f"import assay.compat.{name}, sys; assert not {{'numpy', 'scipy', 'ranx', 'pandas'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", DROP_INS)
def test_every_public_name_is_there(name):
    module = importlib.import_module(f"assay.compat.{name}")
    assert module.__all__ == sorted(module.__all__)
    assert dir(module) == sorted(module.__all__)
    for public in module.__all__:
        assert getattr(module, public) is getattr(module, public)
    with pytest.raises(AttributeError, match="nothing"):
        _ = module.nothing
