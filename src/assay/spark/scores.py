"""Scores that stay in Spark: a row for each query of each run, for thousands of runs that are not collected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.evaluation import Evaluator, Profile, choose_profile, settings_of
from assay.files import ExternalRun
from assay.metrics import BoundMetric, Given, parse_metrics, written_metrics
from assay.model import Policy, Qrels, RankRule
from assay.spark.counted_runs import CountedRun, Scanned, collected_runs, rows_of_arrow
from assay.spark.evaluation import prepared_table
from assay.spark.grouped import grouped_parts
from assay.spark.judgments import collected_judgments, shipped_judgments
from assay.spark.refusals import check_settings
from assay.spark.run_table import RUN, check_spark
from assay.spark.shipping import Shipped
from assay.spark.survey import survey_of
from assay.views import Ranked
