"""The smallest plans that mean something."""

from assay.execution.plan import make_plan

BASE = {"benchmarks": ["rag-template"], "providers": ["bm25"], "metrics": ["mrr"]}


def plan(**more):
    return make_plan({**BASE, **more})
