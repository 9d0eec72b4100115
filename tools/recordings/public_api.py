"""Part A: public names with their signatures, entry points, and the options of every command."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
import tomllib
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from tools.recordings.masks import mask
from tools.recordings.process import value_of
from tools.recordings.scene import ROOT, Scene

DOORS = """
    assay assay.charts assay.chunkers assay.conformance assay.datasets assay.errors assay.fusion assay.metrics
    assay.monitoring assay.ontology assay.stats assay.store assay.compat.ir_measures assay.compat.loop.benchmark
    assay.compat.loop.metrics assay.compat.memorybench assay.compat.phentrieve assay.compat.pytrec_eval
    assay.compat.ragchat assay.compat.ranx
""".split()
"""Modules whose names are promised."""
IMPORT = re.compile(r"^\s*(?:>>> )?from (assay[\w.]*) import \(?([\w, ]+)", re.MULTILINE)
MODULE_PATH = re.compile(r"\bassay(\.\w+)+\.(\w+)")


def record_api(scene: Scene) -> dict[str, str]:
    """Name → what it is and how it is called."""
    return value_of(_all_cases, scene.fixture, scene.environment(scene.fixture))


def _all_cases() -> dict[str, str]:
    cases: dict[str, str] = {}
    for door in DOORS:
        module = importlib.import_module(door)
        names = public_names(module)
        cases |= {f"{door}.{name}": describe(getattr(module, name)) for name in names}
        if door == "assay":
            cases["assay.__all__"] = "\n".join([*module.__all__, "", *dir(module)]) + "\n"
    for path, name in sorted(set(_documented())):
        cases.setdefault(f"{path}.{name}", _describe_documented(path, name))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for key in ("scripts", "entry-points", "optional-dependencies", "dependencies", "requires-python"):
        cases[f"pyproject {key}"] = _lines(project.get(key, {}))
    return {name: mask(text) for name, text in cases.items()}


def public_names(module: ModuleType) -> list[str]:
    """`__all__`, or what has no underscore and was made in this package."""
    names = getattr(module, "__all__", None)
    if names is not None:
        return sorted(names)
    return sorted(
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and not inspect.ismodule(value)
        and str(getattr(value, "__module__", "")).startswith("assay")
    )


def _documented() -> Iterator[tuple[str, str]]:
    """What documents import from modules without a private part."""
    files = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").glob("*.py"))]
    for file in files:
        for path, names in IMPORT.findall(file.read_text(encoding="utf-8")):
            if "._" not in path:
                yield from ((path, name.split(" as ")[0].strip()) for name in names.split(",") if name.strip())


def _describe_documented(path: str, name: str) -> str:
    try:
        return describe(getattr(importlib.import_module(path), name))
    except (ImportError, AttributeError) as error:
        return f"{type(error).__name__}: {error}\n"


def describe(value: Any) -> str:
    """A function by its signature, a class by its bases, signature and public members, a value by its type."""
    if inspect.isclass(value):
        return "\n".join([*_class_lines(value), *_member_lines(value)]) + "\n"
    if callable(value):
        return f"function {_signature(value)}\n{inspect.getdoc(value) or ''}\n"
    if inspect.ismodule(value):
        return f"module: {', '.join(public_names(value))}\n"
    keys = f" of {', '.join(map(str, value))}" if isinstance(value, dict) else ""
    return f"{type(value).__name__}{keys}\n"


def _class_lines(value: type) -> Iterator[str]:
    yield f"class {value.__name__}({', '.join(base.__name__ for base in value.__mro__[1:-1])}) {_signature(value)}"
    yield inspect.getdoc(value) or ""
    if dataclasses.is_dataclass(value):
        yield f"fields: {', '.join(field.name for field in dataclasses.fields(value))}"


def _member_lines(value: type) -> Iterator[str]:
    special = ("__call__", "__getitem__", "__len__", "__iter__", "__eq__", "__enter__", "__add__", "__contains__")
    for name, kind, home, member in sorted(inspect.classify_class_attrs(value)):
        if home.__module__.startswith("assay") and (not name.startswith("_") or name in special):
            function = getattr(member, "__func__", member)
            shown = _signature(function) if callable(function) else ""
            yield f"{kind} {name}{shown}"


def _signature(value: Any) -> str:
    try:
        shown = str(inspect.signature(value))
    except (TypeError, ValueError):
        return "(…)"
    return MODULE_PATH.sub(r"\2", re.sub(r"ForwardRef\('([^']*)'\)", r"'\1'", shown))


def _lines(value: Any) -> str:
    if isinstance(value, dict):
        return "".join(f"{name} = {inner}\n" for name, inner in sorted(value.items()))
    return "".join(f"{one}\n" for one in ([value] if isinstance(value, str) else value))
