"""Embedding: how the text of a query becomes the vector that a store is asked with."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from assay.providers._adapters_objects import check_object, is_fitting, load_object
from assay.providers._embeddings import WORDLLAMA, check_model, embed, load_model
from assay.providers._event_loop import EventLoop
from assay.providers._explained import describe_library_error
from assay.providers._extras import check_installed
from assay.providers._loading import files_of
from assay.providers._refusals import PermanentFailure
from assay.text import install_command, shortened

METHODS = ("embed_query", "get_query_embedding", "encode")
"""What embedding models of LangChain, LlamaIndex and sentence-transformers call it."""
CALLED = "__call__"
IN_CODE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")

Embed = Callable[[str], Any]
"""A text → its vector, as a list of numbers; or what the store takes in its place."""


def check_embed(owner: str, name: str) -> None:
    """Raise unless the function is there, or the package of the model. It is not called, and nothing loaded."""
    if IN_CODE.fullmatch(name):
        check_object(name, (*METHODS, CALLED), "function that embeds a text")
    elif name == WORDLLAMA:
        check_model(owner, name)
    elif name:
        check_installed(f"{owner}(embed='{name}')", "sentence_transformers", install_command("sentence-transformers"))


def load_embed(owner: str, name: str) -> Embed:
    """What embeds a query: a function or model in Python code, or a model that `dense` takes."""
    if not IN_CODE.fullmatch(name):
        check_embed(owner, name)
        return partial(_of_model, name)
    found = load_object(name, (*METHODS, CALLED), "function that embeds a text")
    method = next((method for method in METHODS if is_fitting(found, (method,))), CALLED)
    return partial(_of_function, name, getattr(found, method) if method != CALLED else found)


def files_of_embed(name: str) -> list[Path]:
    """The user's own files that embed queries."""
    return files_of(name) if IN_CODE.fullmatch(name) else []


def _of_model(name: str, text: str) -> list[float]:
    return embed(load_model(name), [text])[0].tolist()


def _of_function(name: str, function: Callable[[str], Any], text: str) -> Any:
    with describe_library_error(name):
        return as_vector(name, EventLoop().result(function(text)))


def as_vector(name: str, given: Any) -> Any:
    """A list of numbers out of a list, an array or a tensor, or out of one with a single row; anything else as it is.

    A list that holds something else, or no number at all, is Final.
    """
    given = given.tolist() if callable(getattr(given, "tolist", None)) else given
    if not isinstance(given, list | tuple):
        if given is None or isinstance(given, str | int | float):
            raise PermanentFailure(
                f"{name} was to embed a text and returned {shortened(given)}, which is no list of numbers"
            )
        return given
    row = given[0] if len(given) == 1 and isinstance(given[0], list | tuple) else given
    row = [one.item() if callable(getattr(one, "item", None)) else one for one in row]
    if not row or not all(isinstance(one, int | float) and math.isfinite(one) for one in row):
        raise PermanentFailure(
            f"{name} was to embed a text and returned {shortened(given)}, which is no list of finite numbers"
        )
    return row


WAYS = f"embed='module:function', or embed={WORDLLAMA} for the model of assay[dense]"
"""How to say it, for messages."""
