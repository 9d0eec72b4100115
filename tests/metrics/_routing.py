"""What the tests of routing metrics share."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from assay import Result, evaluate_routing


def routed(metric: str, *rows: dict[str, Any]) -> Result:
    """A result over these records, numbered from q1."""
    return evaluate_routing([{"query_id": f"q{number}", **row} for number, row in enumerate(rows, 1)], [metric])


def gate(metric: str, *pairs: tuple[bool | None, bool | None], **more: Any) -> Result:
    """A result over (was retrieval skipped, is it needed), and what else all have."""
    return routed(metric, *({"gated": gated, "needs_retrieval": needed, **more} for gated, needed in pairs))


FOUR = ((True, False), (True, True), (False, False), (False, True))
"""The four ways a decision can turn out: rightly skipped, wrongly skipped, wasted, rightly retrieved."""

decisions = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30)
"""(skipped, needed), for some queries."""
experts = st.sampled_from(("chat", "code", "law", "math"))
routes = st.lists(st.tuples(st.lists(experts, min_size=1, max_size=4, unique=True), experts), min_size=1, max_size=30)
"""(choices in order, the right expert), for some queries."""
