"""The results that the tests of the store save, for the commands about them."""

import importlib.util
from pathlib import Path

_SPEC = importlib.util.spec_from_file_location("stored_results", Path(__file__).parents[1] / "store" / "_results.py")
_MODULE = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_MODULE)
differences, result_of, saved_and_read = _MODULE.differences, _MODULE.result_of, _MODULE.saved_and_read
