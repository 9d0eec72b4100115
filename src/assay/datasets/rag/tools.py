"""RAG tools: which columns of the tables of evaluation tools hold the question, the contexts and the answers.

This is the only table of these columns. A tool that is not in it needs a few lines of data, and no code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.datasets.entries import GROUND_TRUTH_NAMES
from assay.datasets.fields import Record
from assay.datasets.list_cells import parse_cell
from assay.datasets.probe import Probe
from assay.datasets.rag.record_fields import field_of, first_field, has_field, opened
from assay.files import TABLES, current_reading

CONTEXT_ROLES = ("retrieved", "retrieved_ids", "reference", "reference_ids")
"""What a record may say about contexts: those that the system retrieved, and the relevant ones; as texts, and as ids."""
ROLES = ("query_id", "query", *CONTEXT_ROLES, "evidence", "expected", "response")
"""The meanings of columns. `evidence` has ids of what contains the answer, `expected` is the right answer, and `response` is
the answer of the system."""
USER_ROLES = {"relevant": "reference_ids", "retrieved": "retrieved_ids"}
"""Role in `--columns` → the role here, if the word differs. In `--columns`, both mean ids."""
TABLE_ENDINGS = (*TABLES, ".parquet")


@dataclass(frozen=True)
class Tool:
    """A tool that writes one record per question. A dotted name is a nested field, or a column with that very name."""

    name: str
    page: str
    """The page that documents the columns; errors name it."""
    columns: Mapping[str, tuple[str, ...]]
    """Role → names, the likeliest first."""
    marks: tuple[tuple[str, ...], ...]
    """Columns by which the tool is recognised: all names of one group. `inputs.*` is any name that starts like this."""
    marks_in_tables: tuple[tuple[str, ...], ...] = ()
    """The same for CSV, TSV and Parquet only, because `rag_template` reads JSON with these names differently."""
    never: frozenset[str] = frozenset()
    """Fields that no record of this tool has, because another format has them beside the same names."""
    delimiters: tuple[str, ...] = ()
    """What separates the contexts in one text; the first that occurs anywhere in the file is used."""
    inside: tuple[str, ...] = ()
    """Where the records are, if the file is one JSON object."""
    marks_inside: frozenset[str] = frozenset()
    """Fields beside or in these records, by which such a file is recognised: one of them must be there."""
    more: Callable[[Record], Record] | None = None
    """Fields that have to be computed from a record, under names of `columns`."""
    used: tuple[str, ...] = ()
    """Patterns of columns that `more` reads, or that never describe a question, such as `*_calls`."""
    is_per_document: bool = False
    """Whether each record is one retrieved document, so that records of one question are joined."""
    empty_is_judged: bool = False
    """Whether an empty list of relevant ids means that nothing is relevant, rather than that nothing is known."""
    systems: tuple[str, ...] = ()
    """Fields that name the system or the benchmark; a file must have one value of each."""
    advice: str = ""
    """What to do if these columns mean something else in this file."""

    def find(self, record: Record) -> dict[str, str]:
        """Role → the name that has it in this record; names that the user gave win."""
        columns = {role: name for role in ROLES if (name := first_field(record, self.columns.get(role, ())))}
        named = [(USER_ROLES.get(role, role), name) for name, role in current_reading().named_roles("queries", record)]
        return {**columns, **{role: name for role, name in named if role in ROLES}}

    def fits(self, record: Record, *, is_table: bool) -> bool:
        """Whether a record has the columns of this tool."""
        groups = (*self.marks, *(self.marks_in_tables if is_table else ()))
        if self.never & record.keys() or not any(all(has_field(record, name) for name in group) for group in groups):
            return False
        columns = self.find(self.completed(record))
        return "query" in columns and any(role in columns for role in (*CONTEXT_ROLES, "expected"))

    def completed(self, record: Record) -> Record:
        """The record with nested objects instead of their texts, and with the fields that have to be computed."""
        record = {name: opened(value) for name, value in record.items()}
        return record if self.more is None else {**record, **self.more(record)}


def _under(fronts: Iterable[str], names: Iterable[str]) -> tuple[str, ...]:
    """Dotted names: each name under each field."""
    return tuple(f"{front}.{name}" for name in names for front in fronts)


CALLS, ASSERTED = "contexts in calls", "value of an assertion"
"""Names of computed fields, as notes show them."""


def _calls(record: Record) -> Record:
    """TruLens: contexts in the calls of a feedback function about contexts, otherwise in the calls of the retriever."""
    for name, value in record.items():
        if name.lower().endswith("_calls") and "context" in name.lower():
            arguments = [field_of(call, "args") for call in _objects(parse_cell(value))]
            contexts = [field_of(some, "context") for some in arguments if isinstance(some, Mapping)]
            if any(contexts):
                return {CALLS: [context for context in contexts if context]}
    for call in _objects(field_of(record, "record_json.calls")):
        methods = [str(field_of(step, "method.name") or "") for step in _objects(call.get("stack"))]
        if methods and ("retrieve" in methods[-1] or "relevant_documents" in methods[-1]) and call.get("rets"):
            return {CALLS: call["rets"]}
    return {}


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def _grades_as_list(record: Record) -> Record:
    """memorybench: grades by id in the metadata as a list of ids with grades."""
    metadata = record.get("metadata")
    if not isinstance(metadata, Mapping) or not isinstance(grades := metadata.get("qrels"), Mapping):
        return {}
    listed = [{"id": doc_id, "grade": grade} for doc_id, grade in grades.items()]
    return {"metadata": {**metadata, "qrels": listed}}


ASSERTIONS = ("context-recall", "factuality", "equals", "similar", "model-graded-closedqa", "answer-relevance")
"""Assertions of promptfoo whose value is the expected answer."""


def _asserted(record: Record) -> Record:
    """promptfoo: the expected answer in an assertion of the test case."""
    values = {str(test.get("type")): test.get("value") for test in _objects(field_of(record, "testCase.assert"))}
    value = next((values[name] for name in ASSERTIONS if isinstance(values.get(name), str)), None)
    return {} if value is None else {ASSERTED: value}


FIELDS_OF_TEMPLATES = ("expected", *GROUND_TRUTH_NAMES)
"""Fields by which `rag_template` is recognised although a record has names of a tool."""
QUESTIONS = ("question", "query", "input", "user_input", "prompt")
RIGHT_ANSWERS = ("ground_truth", "expected_answer", "expected_output", "expected", "reference_answer", "answer", "output")
SYSTEM_ANSWERS = ("answer", "response", "output", "result", "generation")
TEXTS_OF_CONTEXTS = (
    *("retrieved_contexts", "retrieved_documents", "documents", "contexts", "context", "source_documents", "docs", "chunks"),
)
IDS_OF_CONTEXTS = ("retrieved_ids", "retrieved_doc_ids", "document_ids", "doc_ids", "context_ids", "relevant_ids")

RAGAS = Tool(
    "ragas",
    "https://docs.ragas.io/en/stable/concepts/components/eval_sample/",
    {
        "query": ("user_input",),
        "retrieved": ("retrieved_contexts",),
        "retrieved_ids": ("retrieved_context_ids",),
        "reference": ("reference_contexts",),
        "reference_ids": ("reference_context_ids",),
        "expected": ("reference",),
        "response": ("response",),
    },
    marks=(
        ("user_input", "retrieved_contexts"),
        ("user_input", "reference_contexts"),
        ("user_input", "retrieved_context_ids"),
    ),
)
OLDER_RAGAS = Tool(
    "ragas 0.1",
    "https://docs.ragas.io/en/v0.1.21/getstarted/evaluation.html",
    {
        "query": ("question",),
        "retrieved": ("contexts",),
        "expected": ("ground_truth", "ground_truths"),
        "response": ("answer",),
    },
    marks=(("question", "contexts", "answer", "ground_truth"), ("question", "contexts", "answer", "ground_truths")),
    marks_in_tables=(("question", "contexts"),),
    never=frozenset(FIELDS_OF_TEMPLATES),
    advice="if contexts are what a question may search, and not what a system retrieved, add --dataset-format rag_template",
)
DEEPEVAL = Tool(
    "deepeval",
    "https://deepeval.com/docs/evaluation-datasets",
    {
        "query": ("input",),
        "retrieved": ("retrieval_context", "retrievalContext"),
        "reference": ("context",),
        "expected": ("expected_output", "expectedOutput"),
        "response": ("actual_output", "actualOutput"),
    },
    marks=(
        ("input", "retrieval_context"),
        ("input", "retrievalContext"),
        ("input", "actual_output", "context"),
        ("input", "expected_output", "context"),
    ),
    never=frozenset(FIELDS_OF_TEMPLATES),
    delimiters=("|", ";"),
    inside=("test_results", "testCases"),
    marks_inside=frozenset({"retrieval_context", "retrievalContext"}),
)
TRULENS = Tool(
    "TruLens",
    "https://www.trulens.org/component_guides/evaluation/running_feedback_functions/existing_data/",
    {
        "query_id": ("record_id", "query_id"),
        "query": ("input", "query"),
        "retrieved": ("contexts", "context", "retrieved_contexts", CALLS),
        "reference": ("expected_chunks",),
        "expected": ("expected_response", "ground_truth"),
        "response": ("output",),
    },
    marks=(
        ("record_id", "input", "output", "app_id"),
        ("record_id", "input", "output", "app_name"),
        ("query", "expected_chunks"),
        ("input", "expected_chunks"),
    ),
    more=_calls,
    used=("*_calls", "*_json"),
)
_OUTPUTS, _REFERENCES = ("outputs", "run.outputs"), ("reference_outputs", "reference", "example.outputs")
LANGSMITH = Tool(
    "LangSmith",
    "https://docs.langchain.com/langsmith/analyze-an-experiment",
    {
        "query_id": ("example_id", "reference_example_id", "example.id"),
        "query": _under(("inputs", "input", "example.inputs", "run.inputs"), QUESTIONS),
        "retrieved": _under(_OUTPUTS, TEXTS_OF_CONTEXTS),
        "retrieved_ids": _under(_OUTPUTS, IDS_OF_CONTEXTS),
        "reference": _under(_REFERENCES, ("reference_contexts", *TEXTS_OF_CONTEXTS)),
        "reference_ids": _under(_REFERENCES, ("reference_context_ids", *IDS_OF_CONTEXTS)),
        "expected": _under(_REFERENCES, RIGHT_ANSWERS),
        "response": _under(_OUTPUTS, SYSTEM_ANSWERS),
    },
    marks=(
        *(("inputs.*", "outputs.*", other) for other in ("reference_outputs.*", "reference.*", "run_id", "trace_id")),
        *(("inputs.*", "outputs.*", other) for other in ("reference_example_id", "execution_time", "run_type")),
        ("input.*", "outputs.*", "reference.*"),
        ("run.*", "example.*"),
    ),
)
LANGSMITH_DATASET = Tool(
    "LangSmith dataset",
    "https://docs.smith.langchain.com/evaluation/faq/manage-datasets",
    {
        "query_id": ("id",),
        "query": LANGSMITH.columns["query"],
        "reference": _under(("outputs",), ("reference_contexts", *TEXTS_OF_CONTEXTS)),
        "reference_ids": _under(("outputs",), ("reference_context_ids", *IDS_OF_CONTEXTS)),
        "expected": _under(("outputs",), RIGHT_ANSWERS),
    },
    marks=(("inputs.*", "outputs.*"),),
    advice="the outputs of a dataset are what is right. If they are what a system returned, export the experiment instead",
)
PHOENIX = Tool(
    "Phoenix",
    "https://arize.com/docs/phoenix/how-to/extract-data-from-spans",
    {
        "query_id": ("context.span_id", "span_id"),
        "query": ("attributes.input.value",),
        "retrieved": ("attributes.retrieval.documents",),
        "reference": ("reference_contexts",),
        "reference_ids": ("reference_context_ids", "relevant_ids"),
        "expected": ("expected", "expected_output", "expected_answer", "ground_truth"),
        "response": ("attributes.output.value",),
    },
    marks=(("attributes.input.value", "attributes.retrieval.documents"),),
)
PHOENIX_DOCUMENTS = Tool(
    "Phoenix documents",
    PHOENIX.page,
    {**PHOENIX.columns, "query": ("input",), "retrieved": ("reference",), "response": ("output",)},
    marks=(("context.span_id", "document_position", "input", "reference"),),
    is_per_document=True,
)
PHOENIX_ANSWERS = Tool(
    "Phoenix answers",
    PHOENIX.page,
    PHOENIX_DOCUMENTS.columns,
    marks=(("context.span_id", "input", "output", "reference"),),
    delimiters=("\n\n",),
    advice="reference is the text of the retrieved documents, as get_qa_with_reference writes it",
)
_VARS = ("vars", "testCase.vars")
PROMPTFOO = Tool(
    "promptfoo",
    "https://www.promptfoo.dev/docs/configuration/outputs/",
    {
        "query_id": ("testIdx",),
        "query": (*_under(_VARS, QUESTIONS), *QUESTIONS),
        "retrieved": (
            *_under(("response.metadata", "response.output", "metadata", *_VARS), TEXTS_OF_CONTEXTS),
            *("retrieved_contexts", "contexts", "context"),
        ),
        "retrieved_ids": _under(("response.metadata", "response.output", "metadata"), IDS_OF_CONTEXTS),
        "reference": (
            *_under(_VARS, ("reference_contexts", "expected_contexts")),
            "reference_contexts",
            "expected_contexts",
        ),
        "reference_ids": _under(_VARS, ("reference_context_ids", *IDS_OF_CONTEXTS)),
        "expected": (
            *_under(_VARS, ("reference", *RIGHT_ANSWERS)),
            *("ground_truth", "expected_answer", "expected", "reference", ASSERTED),
        ),
        "response": ("response.output.answer", "response.output", "[*"),
    },
    marks=(
        ("vars.*", "response.*"),
        ("vars.*", "testCase.*"),
        *(("[*", question, contexts) for question in QUESTIONS for contexts in ("context", "contexts")),
    ),
    inside=("results.results",),
    marks_inside=frozenset({"stats", "prompts"}),
    more=_asserted,
    used=("testCase.*", "response.*", "prompt.*", "gradingResult.*"),
)
_RELEVANT_IDS = ("relevantIds", "relevantChunkIds", "groundTruthIds", "qrels")
_EVIDENCE = ("evidence", "answerCorpusIds")
MEMORYBENCH = Tool(
    "memorybench",
    "https://github.com/ashikshafi08/memorybench",
    {
        "query_id": ("itemId", "item_id"),
        "query": ("question",),
        "retrieved": ("retrievedContext", "retrieved_context"),
        "reference_ids": _under(("metadata",), _RELEVANT_IDS),
        "evidence": _under(("metadata",), _EVIDENCE),
        "expected": ("expected",),
        "response": ("actual",),
    },
    marks=(("itemId", "question", "retrievedContext"), ("item_id", "question", "retrieved_context")),
    inside=("results",),
    marks_inside=frozenset({"itemId"}),
    more=_grades_as_list,
    used=(*_RELEVANT_IDS, *_EVIDENCE),
    empty_is_judged=True,
    systems=("provider", "benchmark"),
)
OTHERS = Tool(
    "another tool",
    "",
    {
        "query_id": ("query_id", "question_id", "id"),
        "query": QUESTIONS,
        "retrieved": ("retrieved_contexts", "retrieval_context"),
        "retrieved_ids": RAGAS.columns["retrieved_ids"],
        "reference": RAGAS.columns["reference"],
        "reference_ids": RAGAS.columns["reference_ids"],
        "expected": ("reference", "ground_truth", "expected_output", "expected_answer", "expected"),
        "response": ("response", "actual_output", "answer", "output"),
    },
    marks=tuple((question, contexts) for question in QUESTIONS for contexts in ("retrieved_contexts", "reference_contexts")),
)
TOOLS = (
    *(RAGAS, OLDER_RAGAS, DEEPEVAL, TRULENS, PROMPTFOO, LANGSMITH, LANGSMITH_DATASET),
    *(PHOENIX, PHOENIX_DOCUMENTS, PHOENIX_ANSWERS, MEMORYBENCH, OTHERS),
)
"""All tools, the most specific columns first."""


def tool_of_record(record: Record, *, is_table: bool) -> Tool | None:
    """The tool whose columns a record has; None if it has those of no tool."""
    return next((tool for tool in TOOLS if tool.fits(record, is_table=is_table)), None)


def tool_of(probe: Probe) -> Tool | None:
    """The tool that wrote a file, by the columns of its first record; None if no tool did."""
    if probe.suffix not in (*TABLE_ENDINGS, ".json", ".jsonl", ".ndjson"):
        return None
    is_table, first = probe.suffix in TABLE_ENDINGS, probe.first_record
    tool = tool_of_record(first, is_table=is_table)
    if is_table or tool is not None:
        return tool
    if not probe.is_list and (tool := _tool_inside(probe)) is not None:
        return tool
    union = {**dict.fromkeys(probe.outer_keys), **first}  # a record may leave out fields that have no value
    likely = [tool for tool in TOOLS[:-1] if not first or first_field(first, tool.columns["query"])]
    return next((tool for tool in likely if tool.fits(union, is_table=False)), None)


def _tool_inside(probe: Probe) -> Tool | None:
    """The tool that wrote a file with one JSON object."""
    for tool in TOOLS:
        for path in tool.inside:
            outer, _, inner = path.partition(".")
            keys = probe.keys_under(outer) if outer in probe.outer_keys else frozenset()
            if keys & tool.marks_inside and (not inner or inner in keys):
                return tool
    return None
