"""gate_junit: the report of a gate as JUnit XML; a failure is worse (or undecided, by a strict rule), an error is broken."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

from assay.monitoring.finding import FAILED, SKIPPED, UNDECIDED, WARNED
from assay.monitoring.gating import GateReport, Verdict
from assay.monitoring.wording import moved_text

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML cannot hold, in any spelling."""


def render_gate_junit(report: GateReport) -> str:
    """One suite, a case for each rule and result; warnings and doubt go to its output, and do not fail."""
    cases = [_case(verdict) for verdict in report.verdicts]
    if report.broken:
        first = report.broken.split("\n", 1)[0]
        body = f'<error message={_quoted(first)} type="broken">{_text(report.broken)}</error>'
        cases = [f'  <testcase name="gate" classname="assay.gate">\n    {body}\n  </testcase>']
    counts = {
        "tests": len(cases),
        "failures": len(report.failed),
        "errors": int(bool(report.broken)),
        "skipped": report.count(SKIPPED),
    }
    numbers = " ".join(f'{name}="{number}"' for name, number in counts.items())
    suite = [f'<testsuite name="assay gate" {numbers}>', *cases, "</testsuite>"]
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {numbers}>", *suite, "</testsuites>"]) + "\n"


def _case(verdict: Verdict) -> str:
    about = ".".join(filter(None, ("assay.gate", verdict.benchmark, verdict.provider)))
    head = f"  <testcase name={_quoted(verdict.rule.text)} classname={_quoted(about)}"
    details = "\n".join([verdict.summary, *map(moved_text, verdict.finding.moved)])
    if verdict.status == FAILED:
        message = f"{verdict.rule.text}: {verdict.summary}"
        kind = "undecided" if verdict.finding.status == UNDECIDED else "worse"
        inside = f'<failure message={_quoted(message)} type="{kind}">{_text(details)}</failure>'
    elif verdict.status == SKIPPED:
        inside = f"<skipped message={_quoted(verdict.summary)}/>"
    elif verdict.status in (WARNED, UNDECIDED):
        inside = f"<system-out>{_text(f'{verdict.status}: {details}')}</system-out>"
    else:
        inside = f"<system-out>{_text(verdict.summary)}</system-out>"
    return f"{head}>\n    {inside}\n  </testcase>"


def _text(text: str) -> str:
    return escape(FORBIDDEN.sub("�", text))


def _quoted(text: str) -> str:
    return quoteattr(FORBIDDEN.sub("�", text))
