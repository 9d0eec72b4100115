"""Generation: the JSON Schemas of all files, from the forms."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from assay.evaluation import SavedFile
from assay.schemas.comparison_forms import ComparisonFile, DiscriminationFile, PowerFile, QueryPlanFile
from assay.schemas.experiment_forms import ExperimentFile, InterleavingFile
from assay.schemas.explanation_forms import ConformanceFile, WhyFile
from assay.schemas.feature_forms import FeaturesFile
from assay.schemas.input_forms import ONE_RULE, PlanFile, RulesFile
from assay.schemas.judging_forms import (
    AnswerJudgingFile,
    CalibrationFile,
    JudgingFile,
    JudgingPlanFile,
    PoolLine,
    ProbesFile,
    VerdictLine,
)
from assay.schemas.monitoring_forms import DriftFile, GateCheckFile, GateFile, HistoryFile, StatusFile
from assay.schemas.store_forms import BenchmarkFile, JudgmentsFile, ResultsFile, WatchFile
from assay.store import Line

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FORMS: Mapping[str, Any] = {
    "assay.answer_judging/1": AnswerJudgingFile,
    "assay.benchmark/1": BenchmarkFile,
    "assay.calibration/1": CalibrationFile,
    "assay.comparison/1": ComparisonFile,
    "assay.conformance/1": ConformanceFile,
    "assay.discrimination/1": DiscriminationFile,
    "assay.drift/1": DriftFile,
    "assay.experiment/1": ExperimentFile,
    "assay.export/1": Line,
    "assay.features/1": FeaturesFile,
    "assay.gate-check/1": GateCheckFile,
    "assay.gate/1": GateFile,
    "assay.history/1": HistoryFile,
    "assay.interleaving/1": InterleavingFile,
    "assay.judging/1": JudgingFile,
    "assay.judging_plan/1": JudgingPlanFile,
    "assay.judgments/1": JudgmentsFile,
    "assay.plan/1": PlanFile,
    "assay.pool/1": PoolLine,
    "assay.power/1": PowerFile,
    "assay.probes/1": ProbesFile,
    "assay.query_plan/1": QueryPlanFile,
    "assay.result/1": SavedFile,
    "assay.results/1": ResultsFile,
    "assay.rules/1": RulesFile,
    "assay.status/1": StatusFile,
    "assay.verdicts/1": VerdictLine,
    "assay.watch/1": WatchFile,
    "assay.why/1": WhyFile,
}
"""The name of each schema → the form of the file; in an export, a pool and verdicts, of each line. Users write
plans and rules."""

ADDED: Mapping[str, Mapping[str, Any]] = {"RuleMap": ONE_RULE}
"""Form → what its schema also says."""


def generated_schemas() -> dict[str, dict[str, Any]]:
    """Name → JSON Schema."""
    return {name: _schema(name, form) for name, form in FORMS.items()}


def _schema(name: str, form: Any) -> dict[str, Any]:
    schema = msgspec.json.schema(form)
    top = schema["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else {"properties": {}}
    if schema_field := top["properties"].get("schema"):
        top["properties"]["schema"] = (
            {"const": name} if "default" not in schema_field else {"enum": [name, None], "default": None}
        )
    for title, more in ADDED.items():
        if title in schema["$defs"]:
            schema["$defs"][title] |= more
    return {"$schema": DIALECT, "$id": f"urn:{name.replace('/', ':')}", "title": name, **_in_order(schema)}


def _in_order(schema: Any) -> Any:
    """The schema with its alternatives in one order, which would otherwise depend on the version of Python."""
    if isinstance(schema, list):
        return [_in_order(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    ordered = {key: _in_order(part) for key, part in schema.items()}
    if "anyOf" in ordered:
        ordered["anyOf"].sort(key=lambda part: json.dumps(part, sort_keys=True))
    return ordered
