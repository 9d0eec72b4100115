"""OBO Graphs: what has to be known about such a file before its reader is given it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from assay.text import counted, some_of

PARENTS = ("is_a", "subClassOf", "http://www.w3.org/2000/01/rdf-schema#subClassOf")
"""Predicates of edges from a term to one that it is a kind of."""


def without_dangling_parents(content: bytes) -> tuple[bytes, list[str]]:
    """The file without edges to parents that are no nodes of it, and the ids of those parents; its reader would make
    terms of them. Whatever is no OBO Graphs document raises ValueError, and so does a node that comes twice.
    """
    import msgspec

    from assay.schema import SchemaError, check_plain

    try:
        document = msgspec.json.decode(content)
        check_plain(document, dict[str, Any], "")
        graphs = document.get("graphs")
        check_plain(graphs, list[dict[str, Any]], "")
    except SchemaError as error:
        raise ValueError(f"it has no graphs: {error}") from None
    except msgspec.DecodeError as error:
        raise ValueError(f"it is no JSON: {error}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not graphs:
        raise ValueError("it has no graphs")
    missing = [one for graph in graphs for one in _cut(graph)]
    return (msgspec.json.encode(document) if missing else content), sorted(set(missing))


def _cut(graph: dict[str, Any]) -> list[str]:
    """Take the edges out that lead nowhere, and tell where they would have led."""
    from assay.schema import SchemaError, check_plain

    nodes, edges = graph.get("nodes") or [], graph.get("edges") or []
    try:
        check_plain(nodes, list[dict[str, Any]], "nodes")
        check_plain(edges, list[dict[str, Any]], "edges")
    except SchemaError as error:
        raise ValueError(f"nodes and edges are no objects: {error}") from None
    often = Counter(str(one.get("id")) for one in nodes)
    twice = [one for one, n in often.items() if n > 1]
    if twice:
        raise ValueError(f"{counted(len(twice), 'term')} defined twice: {some_of(twice)}")
    kept: list[dict[str, Any]] = []
    lost: list[dict[str, Any]] = []
    for one in edges:
        is_lost = one.get("pred") in PARENTS and str(one.get("obj")) not in often
        (lost if is_lost else kept).append(one)
    graph["edges"] = kept
    return [_short(str(one.get("obj"))) for one in lost]


def _short(address: str) -> str:
    """`X:404` for `http://purl.obolibrary.org/obo/X_404`."""
    return address.rpartition("/")[2].replace("_", ":", 1)
