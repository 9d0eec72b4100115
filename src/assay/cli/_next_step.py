"""The command to go on with after scores: whether their difference is real."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from dataclasses import fields
from typing import TYPE_CHECKING

from assay.model import Policy

if TYPE_CHECKING:
    from assay.cli._inputs import Inputs

QUESTION = "Is the difference real?  "
SCORED_BY = ("dataset_format", "relevance", "f1_threshold", "unit", "id_map", "ontology", "annotations", "profile")
"""Flags about scoring that `assay compare` has too."""


def comparing(options: argparse.Namespace, inputs: Inputs, metric: str) -> str:
    """The question and a command that answers it, under the conventions of this one; nothing where it could not be pasted.

    One run has nothing to be compared with, and standard input is gone.
    """
    if len(inputs.runs) < 2 or "-" in (inputs.truth, *inputs.runs):
        return ""
    truth = ["--dataset", inputs.truth] if inputs.is_dataset else [inputs.truth]
    words = ["assay", "compare", *truth, *inputs.runs, "-m", metric, *_flags(options)]
    return f"{QUESTION}{shlex.join(words)}"


def _flags(options: argparse.Namespace) -> Iterator[str]:
    for name in (*SCORED_BY, *(setting.name for setting in fields(Policy))):
        value = getattr(options, name)
        if value is None:
            continue
        yield f"--{name.replace('_', '-')}"
        if value is not True:
            yield f"{value:g}" if isinstance(value, float) else str(value)
