"""Parsing: the text of a judge, in the grammar of providers. Only text that the user wrote may name code, files or hosts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from assay.errors import BadParameter
from assay.grammar import (
    REQUIRED,
    WrittenName,
    cutoff,
    flag,
    fractions,
    not_negative,
    number,
    numbers,
    parse_setting,
    positive,
    split_arguments,
)
from assay.judges.definition import BoundJudge, Judge, find_judge

HARMLESS = (cutoff, flag, fractions, not_negative, number, numbers, positive)
"""Parsers of parameters that can only be numbers or true or false."""
SHAPE = re.compile(r"\s*(?P<name>\w[\w-]*)\s*(?:\((?P<inside>.*)\)|:(?P<short>.+?))?\s*", re.DOTALL)
MAX_SHOWN = 40


def parse_judge(text: str) -> BoundJudge:
    """Parse `openai(model=small, url=http://127.0.0.1:8000/v1)`, `python:module:function` or `panel(a, b, c)`.

    In text that is not marked as written by the user, only numbers, flags and fixed choices are accepted, because any other
    text may name code, a command, a file or an address.
    """
    shape = SHAPE.fullmatch(text)
    if not shape:
        raise BadParameter(f"{_start(text)} is not a judge. Write name, name(parameter=value) or python:module:function")
    judge = find_judge(shape["name"].replace("-", "_"))
    if shape["short"]:
        if not judge.short_for:
            raise BadParameter(f"write the parameters of {judge.name} in brackets, as in {_example(judge)}")
        return _bound(judge, _setting(text, judge, judge.short_for, shape["short"]), [])
    settings: dict[str, Any] = {}
    parts: list[BoundJudge] = []
    for part in _arguments(judge, shape["inside"] or ""):
        if setting := re.fullmatch(r"(\w+)\s*=\s*(.*)", part, re.DOTALL):
            settings |= _setting(text, judge, setting[1], setting[2])
        elif judge.short_for:
            settings |= _setting(text, judge, judge.short_for, part)
        elif judge.takes_parts:
            parts.append(parse_judge(WrittenName(part) if isinstance(text, WrittenName) else part))
        else:
            raise BadParameter(f"{judge.name}: write each value with the name of its parameter, as in {_example(judge)}")
    return _bound(judge, settings, parts)


def _arguments(judge: Judge, inside: str) -> list[str]:
    """The parts between commas. The error does not show them, because one may be a key."""
    try:
        return split_arguments(inside)
    except BadParameter:
        raise BadParameter(f"{judge.name}: the brackets or quotes do not match. Close each of them") from None


def _setting(text: str, judge: Judge, name: str, value: str) -> dict[str, Any]:
    setting = parse_setting(judge.name, judge.name, judge.params, name, value)
    if isinstance(text, WrittenName):
        return setting
    for param in judge.params:
        if param.name in setting and param.parse not in HARMLESS and not param.choices:
            what = f"{judge.name}: {param.name}"
            raise BadParameter(f"{what} is accepted only in text that you write yourself, not from data")
    return setting


def _bound(judge: Judge, settings: dict[str, Any], parts: Sequence[BoundJudge]) -> BoundJudge:
    every = {param.name: settings.get(param.name, param.default) for param in judge.params}
    missing = [name for name, value in every.items() if value is REQUIRED]
    if missing:
        raise BadParameter(f"{judge.name} needs {' and '.join(missing)}, as in {_example(judge)}")
    if judge.takes_parts and len(parts) < 2:
        raise BadParameter(f"{judge.name} needs at least two judges, as in {judge.name}(a, b, c)")
    return BoundJudge(judge, every, tuple(parts), frozenset(settings))


def _example(judge: Judge) -> str:
    names = [param.name for param in judge.params if param.default is REQUIRED] or [param.name for param in judge.params[:1]]
    if names == [judge.short_for]:
        return f"{judge.name}:…"
    return f"{judge.name}({', '.join(f'{name}=…' for name in names)})" if names else judge.name


def _start(text: str) -> str:
    """The name at the start of a text, without its parameters, which may be secret."""
    return re.split(r"[(:]", text)[0].strip()[:MAX_SHOWN] or "an empty text"
