"""hpo_cases: clinical phrases with their HPO terms, checked against a JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from assay.atomic_write import atomic_write
from assay.datasets import BenchmarkDataset, Format, Notes, Probe, filled_id, require_queries
from assay.errors import DataError, current_leniency
from assay.files import FileSource, parse_json, read_json
from assay.model import Query, is_finite_number
from assay.text import counted, shortened, some_of

Schema = Mapping[str, Any]
Place = tuple[str | int, ...]
NOTES = {"$schema", "$id", "title", "description", "examples", "default"}
"""Keywords without a check."""


class Fault(NamedTuple):
    """Something that the schema does not allow."""

    place: Place
    """The names and numbers on the path to it: ("test_cases", 3, "difficulty")."""
    what: str


def schema_faults(value: Any, schema: Schema, place: Place = ()) -> Iterator[Fault]:
    """Everything in the value that the schema does not allow; an unknown keyword in the schema is an error."""
    if unknown := sorted(schema.keys() - NOTES - _CHECKS.keys()):
        raise DataError(f"the schema uses {', '.join(unknown)}, which assay does not support")
    if "type" in schema and not _has_type(value, schema["type"]):
        yield Fault(place, f"expected {_type_names(schema['type'])}, found {shortened(value)}")
        return
    for keyword, argument in schema.items():
        if keyword in _CHECKS:
            yield from _CHECKS[keyword](value, argument, schema, place)


def _type_names(types: str | list[str]) -> str:
    return " or ".join(_WORDS[name] for name in ([types] if isinstance(types, str) else types))


def _has_type(value: Any, types: str | list[str]) -> bool:
    names = [types] if isinstance(types, str) else types
    return any(_TYPES[name](value) for name in names)


def _is_number(value: Any) -> bool:
    return is_finite_number(value) and not isinstance(value, bool)


_WORDS = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "text",
}
_TYPES: dict[str, Callable[[Any], bool]] = {
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: _is_number(value) and float(value).is_integer(),
    "null": lambda value: value is None,
    "number": _is_number,
    "object": lambda value: isinstance(value, dict),
    "string": lambda value: isinstance(value, str),
}


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """A pattern with the meaning of ECMAScript: digits are ASCII, and `$` is the very end."""
    return re.compile(text.removesuffix("$") + r"\Z" if text.endswith("$") else text, re.ASCII)


def _checked_before(*_: Any) -> Iterator[Fault]:
    """No fault: the type is checked first."""
    return iter(())


def _enum(value: Any, allowed: list[Any], _: Schema, place: Place) -> Iterator[Fault]:
    if value not in allowed:
        yield Fault(place, f"expected one of {', '.join(map(str, allowed))}, found {shortened(value)}")


def _matches(value: Any, pattern: str, schema: Schema, place: Place) -> Iterator[Fault]:
    if isinstance(value, str) and not _pattern(pattern).search(value):
        example = f" (such as {schema['examples'][0]})" if schema.get("examples") else ""
        yield Fault(place, f"expected text that matches {pattern}{example}, found {shortened(value)}")


def _items(value: Any, schema_of_items: Schema, _: Schema, place: Place) -> Iterator[Fault]:
    for number, item in enumerate(value if isinstance(value, list) else ()):
        yield from schema_faults(item, schema_of_items, (*place, number))


def _min_items(value: Any, least: int, _: Schema, place: Place) -> Iterator[Fault]:
    if isinstance(value, list) and len(value) < least:
        yield Fault(place, f"expected at least {counted(least, 'entry')}, found {len(value)}")


def _required(value: Any, names: list[str], _: Schema, place: Place) -> Iterator[Fault]:
    for name in names if isinstance(value, dict) else ():
        if name not in value:
            yield Fault((*place, name), "is missing")


def _properties(value: Any, schemas: Mapping[str, Schema], _: Schema, place: Place) -> Iterator[Fault]:
    for name in schemas if isinstance(value, dict) else ():
        if name in value:
            yield from schema_faults(value[name], schemas[name], (*place, name))


def _pattern_properties(value: Any, schemas: Mapping[str, Schema], _: Schema, place: Place) -> Iterator[Fault]:
    for name in value if isinstance(value, dict) else ():
        for pattern, property_schema in schemas.items():
            if _pattern(pattern).search(name):
                yield from schema_faults(value[name], property_schema, (*place, name))


def _additional(value: Any, allowed: bool | Schema, schema: Schema, place: Place) -> Iterator[Fault]:
    patterns = schema.get("patternProperties", {})
    for name in value if isinstance(value, dict) else ():
        if name in schema.get("properties", {}) or any(_pattern(pattern).search(name) for pattern in patterns):
            continue
        if isinstance(allowed, Mapping):
            yield from schema_faults(value[name], allowed, (*place, name))
        elif not allowed:
            known = ", ".join([*schema.get("properties", {}), *patterns])
            yield Fault((*place, name), f"is not allowed here; allowed are {known}")


_CHECKS: dict[str, Callable[[Any, Any, Schema, Place], Iterator[Fault]]] = {
    "type": _checked_before,
    "enum": _enum,
    "pattern": _matches,
    "items": _items,
    "minItems": _min_items,
    "required": _required,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional,
}


EXAMPLE = """\
{
  "metadata": {"dataset_id": "hpo-de-tiny", "version": "1.0", "language": "de"},
  "test_cases": [
    {"case_id": "de_neuro_001", "text": "Krampfanfälle", "description": "German word for seizures (Seizure)",
     "expected_hpo_ids": ["HP:0001250"], "difficulty": "easy", "category": "exact_match",
     "hpo_domain": "Abnormality of the nervous system"}
  ]
}"""
HPO_PREFIX = "hpo-"
"""The prefix of bundled benchmarks whose documents are HPO terms; they come in several sizes."""
MARK = "expected_hpo_ids"
LANGUAGES = {"german": "de", "english": "en", "french": "fr", "spanish": "es", "dutch": "nl"}
FIELDS = {"difficulty": "difficulty", "category": "query_type", "hpo_domain": "domain"}
"""Field of a case → field of the query."""
EXTRA_FIELDS = ("expected", "evidence", "scope")
"""Fields of a query that HPO cases do not define, and that keep their names."""
HPO_PATTERN, OTHER_PATTERN = rb"^HP:\\d{7}$", rb"^[^\\s:]+:\\S+$"
"""The pattern of HPO ids in the schema, and the pattern for ids of any other ontology."""
OTHER_ID = re.compile(r"(?!HP[:_])[^\s:]+:\S+", re.IGNORECASE)
CASE_FIELDS = {"case_id", "text", "expected_hpo_ids", "relevance_grades", *FIELDS, *EXTRA_FIELDS}


@cache
def schema(*, is_hpo: bool = True) -> dict[str, Any]:
    """The JSON Schema of the form with metadata and test_cases; without `is_hpo`, ids may be those of any ontology."""
    text = Path(__file__).with_name("hpo_cases.schema.json").read_bytes()
    content: dict[str, Any] = parse_json(text if is_hpo else text.replace(HPO_PATTERN, OTHER_PATTERN))
    return content


def read_hpo_cases(path: Path) -> BenchmarkDataset:
    """A file with metadata and test_cases must match the schema `hpo_cases.schema.json` in `src/assay/ontology`. In a plain
    list of cases, the ids may also be one text with `;` between them. Terms of an ontology other than HPO have other ids,
    such as `FR:4`.

    If the file does not state the language, it comes from the name of the folder, such as `de` or `german`. A case without
    an id gets its number. An empty list of ids means that nothing is relevant. Terms have grade 1 unless `relevance_grades`
    has another grade.
    """
    source = FileSource.at(path)
    content = read_json(source)
    notes = Notes(source.label)
    is_plain = not (isinstance(content, dict) and "test_cases" in content)
    cases = [content] if isinstance(content, dict) else content
    content = {"test_cases": _mend_cases(cases, notes)} if is_plain else content
    bad = _check(content, notes)
    metadata = dict(content.get("metadata", {}))
    dataset = BenchmarkDataset(metadata.pop("dataset_id", source.name), metadata.pop("version", "1.0"), metadata)
    if language := _language(metadata, path, notes):
        metadata["language"] = language
    for number, case in enumerate(content["test_cases"]):
        if number not in bad:
            _add_case(dataset, case, str(number + 1), language, notes)
    notes.raise_if_any(len(dataset.queries) + notes.n_faults)
    dataset.repairs = notes.repairs
    return require_queries(dataset, source.label)


def _language(metadata: dict[str, Any], path: Path, notes: Notes) -> str | None:
    """The language of the file, or else of its folder."""
    folder = path.resolve().parent.name.lower()
    by_folder = folder if folder in LANGUAGES.values() else LANGUAGES.get(folder)
    language: str | None = metadata.get("language", by_folder)
    if by_folder and language != by_folder:
        notes.mend("metadata.language", f"the file says {language}, but its folder says {by_folder}; {language} is used")
    return language


def _mend_cases(cases: Any, notes: Notes) -> Any:
    """A plain list of cases in the form that the schema expects."""
    if not isinstance(cases, list):
        raise DataError(f"expected a list of test cases, found {shortened(cases)}", source=notes.source)
    return [_mend_case(case, _place(case, number), notes) for number, case in enumerate(cases, 1)]


def _mend_case(case: Any, place: str, notes: Notes) -> Any:
    if not isinstance(case, dict):
        return case
    case = {name: value for name, value in case.items() if value is not None}
    if type(case.get("case_id")) is int:
        case["case_id"] = str(case["case_id"])
    ids = case.get("expected_hpo_ids")
    listed_ids = [ids] if isinstance(ids, str) else ids
    if isinstance(listed_ids, list) and all(isinstance(term, str) for term in listed_ids):
        case["expected_hpo_ids"] = list(_term_ids(listed_ids, f"{place}.expected_hpo_ids", notes))
    return case


def _term_ids(listed_ids: list[str], place: str, notes: Notes) -> Iterator[str]:
    """The ids one by one, in the spelling of the ontology."""
    for joined in listed_ids:
        for term in filter(None, re.split(r"[;,\s]+", joined)):
            mended = re.sub(r"^hp[:_]", "HP:", term, flags=re.IGNORECASE)
            if mended != term:
                notes.mend(place, f"{term} was read as {mended}")
            yield mended


def _place(case: Any, number: int) -> str:
    """The name of a case in a fault: its number, and its id if it has one."""
    named = case.get("case_id") if isinstance(case, dict) else None
    return f"case {number} ({named})" if named else f"case {number}"


def _check(content: Any, notes: Notes) -> set[int]:
    """Raise an error for everything that the schema does not allow, with case and field.

    If bad records may be left out, faults inside of cases are noted instead. Returns the positions of these cases.
    """
    bad: set[int] = set()
    n_others = 0
    for fault in schema_faults(content, schema(is_hpo=not _is_of_another_ontology(content))):
        first, *rest = (*fault.place, "")
        if first == "test_cases" and rest and isinstance(rest[0], int):
            place = _place(content["test_cases"][rest[0]], rest[0] + 1)
            names = rest[1:-1]
            bad.add(rest[0])
        else:
            n_others += 1
            place, names = "", list(fault.place)
        path = "".join(f"[{name}]" if isinstance(name, int) else f".{name}" for name in names)
        notes.fault((place + path).removeprefix("."), fault.what)
    if n_others or current_leniency() is None:
        notes.raise_if_any()
    return bad


def _is_of_another_ontology(content: Any) -> bool:
    """Whether all expected ids are valid ids of another ontology than HPO, such as `FR:4`."""
    cases = content.get("test_cases") if isinstance(content, dict) else None
    listed = [case.get("expected_hpo_ids") for case in cases if isinstance(case, dict)] if isinstance(cases, list) else []
    ids = [term for some in listed if isinstance(some, list) for term in some]
    return bool(ids) and all(isinstance(term, str) and OTHER_ID.fullmatch(term) for term in ids)


def _add_case(dataset: BenchmarkDataset, case: Mapping[str, Any], number: str, language: str | None, notes: Notes) -> None:
    """One case as a query and its judgments."""
    place = _place(case, int(number))
    query_id = filled_id(case.get("case_id", number))
    if query_id in dataset.queries:
        notes.fault(place, f"the case_id {query_id} occurs twice")
        return
    metadata = {name: value for name, value in case.items() if name not in CASE_FIELDS}
    if language:
        metadata.setdefault("language", language)
    fields = {field: case[name] for name, field in FIELDS.items() if name in case}
    more = {name: case[name] for name in EXTRA_FIELDS if name in case}
    if (judged := _parse_grades(case, place, notes)) is not None:
        dataset.add_query(Query(query_id, case["text"], metadata=metadata or None, **fields, **more))
        dataset.qrels[query_id] = judged


def _parse_grades(case: Mapping[str, Any], place: str, notes: Notes) -> dict[str, float] | None:
    """Term → grade; None if a grade contradicts the list of expected terms, which is a fault."""
    expected, grades = case["expected_hpo_ids"], case.get("relevance_grades", {})
    for term in {term for term in expected if expected.count(term) > 1}:
        notes.mend(f"{place}.expected_hpo_ids", f"{term} occurs twice; it counts once")
    contradictions = [term for term, grade in grades.items() if (grade > 0) != (term in expected)]
    for term in contradictions:
        fault = "but is expected" if term in expected else "but is not among the expected ids"
        notes.fault(f"{place}.relevance_grades", f"{term} has grade {grades[term]:g}, {fault}")
    return None if contradictions else {**dict.fromkeys(expected, 1), **grades}


def write_hpo_cases(dataset: BenchmarkDataset, path: Path) -> None:
    """Write the form with metadata and test_cases, checked against its schema. Data that it cannot store is an error."""
    import msgspec

    _check_fits(dataset, path)
    languages = {(query.metadata or {}).get("language") for query in dataset.queries.values()}
    shared = languages.pop() if len(languages) == 1 else None
    metadata = {"dataset_id": dataset.name, "version": dataset.version, **dataset.metadata}
    if shared:
        metadata["language"] = shared
    cases = [_case(query, dataset.qrels[query.query_id], shared) for query in dataset.queries.values()]
    content = {"metadata": metadata, "test_cases": cases}
    _check(content, Notes(str(path)))
    with atomic_write(path) as file:
        file.write(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")


def _check_fits(dataset: BenchmarkDataset, path: Path) -> None:
    unjudged = [query for query in dataset.queries if query not in dataset.qrels]
    unknown = [query for query in dataset.qrels if query not in dataset.queries]
    mixed = [query.query_id for query in dataset.queries.values() if CASE_FIELDS & (query.metadata or {}).keys()]
    named = sorted({"dataset_id", "version"} & dataset.metadata.keys())
    reasons = {
        f"metadata called {some_of(named)}": named,
        f"{counted(len(dataset.documents), 'document')}": dataset.documents,
        f"{counted(len(dataset.spans), 'query')} with spans": dataset.spans,
        f"{counted(len(dataset.judgments), 'judgment')} with judge or time": dataset.judgments,
        f"queries without judgments ({some_of(unjudged)})": unjudged,
        f"judgments of unknown queries ({some_of(unknown)})": unknown,
        f"queries whose metadata uses names of case fields ({some_of(mixed)})": mixed,
    }
    if unsupported := [what for what, there in reasons.items() if there]:
        raise DataError(f"the format hpo_cases cannot store {', '.join(unsupported)}. Write json instead", source=path)


def _case(query: Query, judged: Mapping[str, float], shared_language: str | None) -> dict[str, Any]:
    metadata = dict(query.metadata or {})
    if shared_language:
        metadata.pop("language")
    named = {name: getattr(query, field) for name, field in FIELDS.items()} | {
        name: getattr(query, name) for name in EXTRA_FIELDS
    }
    named["evidence"] = None if query.evidence is None else list(query.evidence)
    case = {
        "case_id": query.query_id,
        "text": query.text,
        "expected_hpo_ids": [term for term, grade in judged.items() if grade > 0],
        "relevance_grades": {term: grade for term, grade in judged.items() if grade != 1} or None,
        **named,
    }
    return {name: value for name, value in case.items() if value is not None} | metadata


def detect(probe: Probe) -> bool:
    """Whether it is a JSON file of cases with expected_hpo_ids, at the top level or under test_cases."""
    return probe.suffix == ".json" and MARK in probe.outer_keys | probe.keys_under("test_cases")


def load_named(source: str, *, documents: bool = True) -> BenchmarkDataset:
    """A bundled benchmark by name and size; its documents are terms, which need an ontology."""
    from assay.ontology.hpo import load_cases, load_hpo  # it imports this file

    return load_hpo(source) if documents else load_cases(source)


def notes(dataset: BenchmarkDataset) -> list[str]:
    """Notes for every result over such cases."""
    from assay.ontology.hpo import notes_on_cases

    return notes_on_cases(dataset)


FORMAT = Format(
    "hpo_cases",
    "clinical phrases and their HPO terms",
    read_hpo_cases,
    detect,
    write_hpo_cases,
    example=EXAMPLE,
    needs="JSON records with text and expected_hpo_ids",
    rank=30,
    words={"query_type": "category"},
    marks=frozenset((MARK,)),
    is_single_file=True,
    default_metrics=("mrr", "hit@1", "hit@10", "max_ont_sim@10"),
    notes=notes,
    needs_domain=True,
    folder=Path(__file__).parent / "bundled",
    other_names={f"{HPO_PREFIX}{name}": f"{HPO_PREFIX}{code}" for name, code in LANGUAGES.items()},
    load=load_named,
    documents="HPO terms",
)
