"""Provenance of a page: what every figure rests on, so that it can be had again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.evaluation import Result
from assay.model import Policy
from assay.reports._page_matter import BenchmarkReport
from assay.reports._page_parts import TEXT, Column, Field, Grid, Section, anchor_of, words
from assay.reports._stored import commit_in_words, readable


def provenance_section(matter: BenchmarkReport) -> Section:
    """One column for each system; a row that all share is written once."""
    told = [_told(result) for result in matter.results]
    names = list(dict.fromkeys(name for one in told for name in one))
    rows = []
    for name in names:
        values = [one.get(name, "–") for one in told]
        shared = len(set(values)) == 1
        fields = [words(values[0])] if shared else [words(value) for value in values]
        rows.append((Field(name), *(fields if not shared else fields + [Field("same", tone="muted")] * (len(told) - 1))))
    heads = (Column("", TEXT), *(Column(name, TEXT) for name in matter.names))
    return Section(
        anchor_of("provenance", matter.group),
        "Provenance",
        (Grid("What the figures rest on", heads, tuple(rows), is_sortable=False),),
    )


def _told(result: Result) -> dict[str, str]:
    """Name → what is known, in words; what nobody knows is left out."""
    origin = result.provenance
    found = {**_about_data(result), **_about_provider(origin)}
    for name, key in (("started", "started"), ("finished", "finished")):
        if origin.get(key):
            found[name] = f"{readable(str(origin[key]))} UTC"
    if repository := origin.get("repository"):
        found["commit"] = commit_in_words(repository)
    for name in ("k", "seed"):
        if origin.get(name) is not None:
            found["documents asked for" if name == "k" else name] = str(origin[name])
    versions = {name: origin[name] for name in ("assay", "python", "platform") if origin.get(name)}
    found |= {name: str(value) for name, value in versions.items()}
    if packages := origin.get("packages"):
        found["packages"] = _pairs(packages)
    found["policy"] = _policy(result)
    found |= {f"fingerprint of {name}": str(value) for name, value in result.fingerprints.items()}
    return {name: text for name, text in found.items() if text}


def _about_data(result: Result) -> dict[str, str]:
    dataset = result.provenance.get("dataset") or {}
    counts = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in result.counts.items() if count)
    return {
        "benchmark": f"{dataset.get('name', result.benchmark)} {dataset.get('version', '')}".strip(),
        "data": _pairs(dataset.get("fingerprints") or {}),
        "queries": counts,
    }


def _about_provider(origin: Mapping[str, Any]) -> dict[str, str]:
    configuration = (origin.get("provider") or {}).get("configuration") or {}
    inside = _pairs({name: value for name, value in configuration.items() if name != "provider"}, "=")
    return {"provider": f"{configuration.get('provider', '')}({inside})" if configuration else ""}


def _policy(result: Result) -> str:
    """The conventions that are not the usual ones."""
    changes = {name: value for name, value in result.policy.to_dict().items() if value != getattr(Policy(), name)}
    profile = f"profile {result.profile}; " if result.profile else ""
    return f"{profile}{_pairs(changes) if changes else 'the usual conventions'}"


def _pairs(mapping: Mapping[str, Any], sign: str = " ") -> str:
    return ", ".join(f"{name}{sign}{value}" for name, value in mapping.items())
