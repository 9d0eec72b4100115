"""Page: all sections of a report by benchmark, before rendering."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from assay.model import RELEVANT_AGE, Tags
from assay.reports.page.changes import changes_section, doubts_section
from assay.reports.page.charts import Figure, Figures, draw_charts, scores_section
from assay.reports.page.head import Head, cross_benchmark_section, head_of
from assay.reports.page.metrics import definitions_section, metrics_section
from assay.reports.page.provenance import provenance_section, times_section
from assay.reports.page.queries import queries_section, scatter_section
from assay.reports.page.slices import slices_section
from assay.reports.page.subject import BenchmarkReport
from assay.reports.report import Report
from assay.reports.sections.answers import metric_table
from assay.reports.sections.experiments import outcome_sections, with_note_on_plain_values
from assay.reports.sections.run_notes import shared_sections
from assay.reports.sections.scores import size_of
from assay.reports.table import Section, anchor_of


@dataclass(frozen=True)
class Group:
    """One benchmark: its verdict and its sections."""

    anchor: str
    head: Head
    sections: tuple[Section, ...] = field(repr=False)

    @property
    def figures(self) -> list[Figure]:
        """All its charts, in order."""
        inside = [part for section in self.sections for part in section.parts if isinstance(part, Figures)]
        return [figure for some in inside for figure in some.figures]


@dataclass(frozen=True)
class Page:
    """The content of a report."""

    groups: tuple[Group, ...]
    given_title: str = ""
    opening: Section | None = None
    """With several benchmarks: every system on every benchmark."""

    @cached_property
    def title(self) -> str:
        """The given title; otherwise the names of the benchmarks."""
        if self.given_title:
            return self.given_title
        names = [group.head.title for group in self.groups]
        return names[0] if len(names) == 1 else f"{len(names)} benchmarks: {', '.join(names[:3])}{' …' * (len(names) > 3)}"

    @property
    def about(self) -> str:
        """A line below the title; empty with several benchmarks, because each has its own."""
        return self.groups[0].head.about if len(self.groups) == 1 else ""


def make_page(reports: Sequence[BenchmarkReport], title: str = "") -> Page:
    """The page for these reports; every benchmark has the same sections in the same order."""
    return Page(tuple(make_group(report) for report in reports), title, cross_benchmark_section(reports))


def make_group(report: BenchmarkReport, *, has_queries: bool = True) -> Group:
    """Everything about one benchmark; without the section of queries for pages that have a longer one."""
    return Group(report.group or "all", head_of(report), tuple(_sections(report, has_queries=has_queries)))


def _sections(report: BenchmarkReport, *, has_queries: bool) -> Iterable[Section]:
    """For a comparison: what changed, what could overturn the verdict, which queries changed; then all figures."""
    if report.is_of_log:
        return _sections_of_log(report)
    queries = queries_section(report) if has_queries else None
    story = (changes_section(report), doubts_section(report))
    first: tuple[Section | None, ...]
    if report.comparison is None:
        first = (*story, metrics_section(report), slices_section(report), _by_cutoff(report), _by_age(report), queries)
    else:
        figures = (metrics_section(report), scatter_section(report), _by_cutoff(report), _by_age(report))
        first = (*story, queries, slices_section(report), *figures)
    sections = (
        *first,
        scores_section(report),
        *_shared_sections(report),
        times_section(report),
        provenance_section(report),
        definitions_section(report),
    )
    return (section for section in sections if section is not None)


def _sections_of_log(report: BenchmarkReport) -> Iterable[Section]:
    """For a search log or an experiment: nothing about single rows, because they are users."""
    outcome = outcome_sections(report.results, "html")
    metrics = _metrics_of_variants(report) if outcome else metrics_section(report)
    sections = (*outcome, metrics, slices_section(report), provenance_section(report), definitions_section(report))
    return (section for section in sections if section is not None)


def _metrics_of_variants(report: BenchmarkReport) -> Section:
    """The values of each variant, without an adjustment for an earlier period."""
    table = metric_table(Report(report.results), list(map(size_of, report.results)))
    return Section(anchor_of("metrics", report.group), "Metrics", (with_note_on_plain_values(table, report.results),))


def _shared_sections(report: BenchmarkReport) -> Iterable[Section]:
    """The sections that other formats have too, with anchors of this benchmark."""
    return (
        replace(section, key=anchor_of(section.key, report.group)) for section in shared_sections(report.results, "html")
    )


def _by_cutoff(report: BenchmarkReport) -> Section | None:
    """The first metric with a cutoff, at several cutoffs; and precision by recall."""
    cut = next((metric for metric in report.metrics if metric.metric.at is not None and metric.metric.at.name == "k"), None)
    if cut is None:
        return None
    charts = draw_charts(report, "by_k", "precision_recall", metric=cut.name)
    return Section(anchor_of("by-cutoff", report.group), "Metric by cutoff", charts)


def _by_age(report: BenchmarkReport) -> Section | None:
    """The first metric by the age of the relevant document; None if the ages are not known."""
    if not report.metrics or RELEVANT_AGE not in Tags.of(report.shown).names:
        return None
    return Section(
        anchor_of("by-age", report.group), "Metric by age of the relevant document", draw_charts(report, "by_age")
    )
