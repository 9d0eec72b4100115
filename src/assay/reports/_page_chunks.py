"""Chunks of a page: what each chunker made of the files, how many chunks hold something relevant, and what indexing took."""

from __future__ import annotations

from assay.reports._chunks import HEAD, chunk_figures, chunk_sheets
from assay.reports._page_matter import BenchmarkReport
from assay.reports._page_parts import Grid, Section, anchor_of, columns, number, words

LEAD = "How many chunks there are to find differs between chunkers, so metrics that count chunks are not fair to them."


def chunks_section(matter: BenchmarkReport) -> Section | None:
    """A row for each system whose documents were cut; nothing where they were retrieved as they are."""
    sheets = chunk_sheets(matter.results)
    if not sheets:
        return None
    cut = [(name, one) for name, one in zip(matter.names, matter.results, strict=True) if "chunks" in one.provenance]
    rows = [(words(name), *(number(text, value) for text, value in chunk_figures(one))) for name, one in cut]
    grid = Grid("Chunks, sizes in characters", columns("system", *HEAD[1:]), tuple(rows), notes=sheets[0].notes)
    chunkers = {str(one.provenance["chunks"].get("chunker")) for _, one in cut}
    lead = f"Sizes are in characters. {LEAD if len(chunkers) > 1 else ''}".strip()
    return Section(anchor_of("chunks", matter.group), "Chunks", (grid,), lead)
