"""Plans and rules in YAML, as they are given on the command line."""

from __future__ import annotations

from assay.execution.plan import load_plan
from assay.monitoring.rule_file import parse_rules, read_yaml
from fuzz.component import Component
from fuzz.files import write_file

PLAN = b"""benchmarks: [rag-template]
providers:
  - bm25
  - hybrid(bm25, dense, method=rrf)
  - name: bm25
    k1: 0.9
    label: mine
metrics: [ndcg@10, mrr, recall@5]
k: 50
seed: 7
relevance: {unit: document}
policy: {ties: docid_desc}
selection: {limit: 10}
by: [language]
outputs: [result.json]
"""
ANCHORS = b"""benchmarks: &b [rag-template]
providers: [bm25]
metrics: [&m ndcg@10, *m]
chunkers: [fixed_lines]
"""
RULES = b"""- ndcg@10 >= 0.5
- rule: mrr not worse than baseline by 0.02 (95%)
  severity: warn
- no query drops from hit to miss in tag=critical
- recall@5 >= 0.1
"""
MAP = b"""- failed = 0
- "ndcg@10 ratchet"
- {rule: recall@10 drops <= 0.01, where: language=de, on: rag-template}
"""
TOKENS = tuple(
    b"&a *a !!python/object:os.system !!str !x << - ? : | > {} [] ~ yes 0x1f 1:30 2020-01-01 .inf --- ... %YAML".split()
)
TOKENS = (*TOKENS, b"\n  ", b"\n- ", b": ", b"providers", b"metrics", b"${HOME}", b"${NOBODY}", b"${X:-y}")


def _rules(data: bytes) -> object:
    return parse_rules(read_yaml(data.decode("utf-8", "replace"), "rules.yaml").plain())


COMPONENTS = (
    Component(
        "plan",
        lambda data: load_plan(write_file("plan.yaml", data)),
        lambda: [PLAN, ANCHORS],
        "yaml",
        tokens=TOKENS,
        may_run=True,
    ),
    Component("rules", _rules, lambda: [RULES, MAP], "yaml", tokens=TOKENS, may_run=True),
)
