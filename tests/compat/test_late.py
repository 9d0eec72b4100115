"""Drop-ins are imported without what they are made of; their names come when they are asked for."""

import importlib
import subprocess
import sys

import pytest

DROP_INS = ("ir_measures", "pytrec_eval", "ranx")


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
