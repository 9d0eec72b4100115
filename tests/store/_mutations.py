"""The changes of JSON trees that the tests of saved results make, for what a store keeps."""

import importlib.util
from pathlib import Path

_SPEC = importlib.util.spec_from_file_location("mutations", Path(__file__).parents[1] / "evaluation" / "_mutations.py")
_MODULE = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_MODULE)
CHANGES, mutated, places, written = _MODULE.CHANGES, _MODULE.mutated, _MODULE.places, _MODULE.written
