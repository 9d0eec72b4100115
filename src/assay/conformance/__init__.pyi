from assay.conformance.cases import Case as Case
from assay.conformance.cases import all_cases as all_cases
from assay.conformance.cases import all_topics as all_topics
from assay.conformance.check import Answer as Answer
from assay.conformance.check import Verdict as Verdict
from assay.conformance.check import ask as ask
from assay.conformance.check import judge as judge
from assay.conformance.check import parse_answers as parse_answers
from assay.conformance.check import render_cases as render_cases
from assay.conformance.check import render_requests as render_requests
from assay.conformance.pytest_file import render_pytest_file as render_pytest_file
from assay.conformance.pytest_file import split_target as split_target
from assay.conformance.render import render_report as render_report
from assay.conformance.report import Report as Report
from assay.conformance.report import check_answers as check_answers
from assay.conformance.report import check_function as check_function

__all__ = [
    "Answer",
    "Case",
    "Report",
    "Verdict",
    "all_cases",
    "all_topics",
    "ask",
    "check_answers",
    "check_function",
    "judge",
]
