"""Packages that a chunker needs and that may not be there."""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import Any

from assay.errors import UsageError
from assay.text import install_command


def check_installed(owner: str, package: str, extra: str) -> None:
    """Raise one line that names the command to install the package, unless it is there; it is not imported."""
    if find_spec(package) is None:
        raise UsageError(f"{owner} needs {package.replace('_', '-')}: {install_command(extra)}")


def needed(owner: str, package: str, extra: str) -> Any:
    """The package, imported; or one line that names the command to install it."""
    check_installed(owner, package, extra)
    return importlib.import_module(package)
