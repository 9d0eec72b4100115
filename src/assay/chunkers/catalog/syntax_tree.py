"""Syntax tree: whole functions and classes if they fit, otherwise their parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from assay.chunkers.chunker import SIZE, Chunker, Cut
from assay.chunkers.packing import Measured, counts_before, lines, split_by, words
from assay.chunkers.syntax import (
    GRAMMARS,
    SCOPES,
    WRAPPERS,
    Gathering,
    Scope,
    Unit,
    check_grammars,
    definition_name,
    language_of,
    parse,
    unknown_language,
)
from assay.grammar import Param, one_of

_LISTS = ("ERROR", "block", "body", "compound_statement", "list", "module", "program", "source_file", "translation_unit")
"""Ends of the types of nodes whose children are separate members, not parts of one thing."""

DEEPEST = 16
"""The most names of classes and functions in a title."""


class _Frame(NamedTuple):
    """A node that is cut: its children, its end, and the scope of its members."""

    children: Iterator[Any]
    end: int
    scope: Scope
    is_list: bool
    is_member: bool
    """Whether it is itself a member of a list."""
    is_named: bool = False
    """Whether it wraps a definition whose name is already in the scope."""


def syntax_tree(text: str, path: str, *, size: int, language: str) -> Cut:
    """Neighbouring nodes are joined up to `size`. A larger node is cut into its children. Comments stay with their code.

    A file in a language without a grammar is cut into lines. In a file with syntax errors, the parts that can be parsed stay
    whole. The title of a chunk is its class or function. After cAST (Zhang et al. 2025, arXiv:2506.15655).
    """
    chosen = language_of(path) if language == "auto" else language
    remark = "" if chosen else unknown_language(path)
    if len(text) <= size:
        return Cut.at([(0, len(text))], remark)
    measured = Measured(text)
    if not chosen:
        return Cut.at(split_by((lines, words), measured, 0, len(text), size), remark)
    content = text.encode("utf-8", "surrogatepass")
    gathering = Gathering(measured, size)
    tree = parse(content, chosen)
    _walk(tree.root_node, measured, _places(text, content), gathering)
    return Cut(gathering.finish())


def _places(text: str, content: bytes) -> Callable[[int], int]:
    """Position in bytes → position in characters; they differ if a character has several bytes."""
    if len(text) == len(content):
        return int
    return counts_before((np.frombuffer(content, np.uint8) & 0xC0) != 0x80).__getitem__


def _walk(root: Any, measured: Measured, place: Callable[[int], int], gathering: Gathering) -> None:
    """Add every node that fits and the text between nodes; descend into nodes that do not fit, without recursion."""
    stack = [_Frame(iter(root.children), len(measured), (), is_list=True, is_member=False)]
    last = 0
    while stack:
        frame = stack[-1]
        node = next(frame.children, None)
        start = frame.end if node is None else max(last, place(node.start_byte))
        _hand_over(gathering, Unit(last, start, frame.scope))
        if node is None:
            stack.pop()
            if frame.is_member:
                gathering.behind_large()
            last = max(last, start)
            continue
        last = max(start, place(node.end_byte))
        if _is_whole(frame, node, start, last, gathering):
            _hand_over(gathering, Unit(start, last, frame.scope, node))
            continue
        if frame.is_list:
            gathering.before_large(start)
        stack.append(_inside(frame, node, last))
        last = start


def _is_whole(frame: _Frame, node: Any, start: int, end: int, gathering: Gathering) -> bool:
    """Whether a node stays whole: it fits, or it has no children. The body of a node that is cut is cut too."""
    if not node.child_count:
        return True
    if gathering.measured.count(start, end) > gathering.size:
        return False
    return frame.is_list or gathering.fits(end) or not (node.type.endswith(_LISTS) or node.type in SCOPES)


def _inside(frame: _Frame, node: Any, end: int) -> _Frame:
    """The frame of a node inside another frame."""
    name = "" if frame.is_named or len(frame.scope) >= DEEPEST else definition_name(node)
    scope = (*frame.scope, name) if name else frame.scope
    is_named = node.type in WRAPPERS and (bool(name) or frame.is_named)
    return _Frame(iter(node.children), end, scope, node.type.endswith(_LISTS), frame.is_list, is_named)


def _hand_over(gathering: Gathering, unit: Unit) -> None:
    """Add a unit; a unit that is only white space is ignored."""
    count = gathering.measured.count(unit.start, unit.end)
    if 0 < count <= gathering.size:
        gathering.add(unit)
    elif count:
        gathering.add_large(unit.start, unit.end, unit.scope)


def _check(language: str, **_: Any) -> None:
    check_grammars("syntax_tree", language)


SYNTAX_TREE = Chunker(
    "syntax_tree",
    "whole functions and classes if they fit, otherwise their parts",
    syntax_tree,
    params=(
        SIZE,
        Param("language", one_of("auto", *GRAMMARS), "auto", "language of the source; auto: by file extension"),
    ),
    check=_check,
)
