"""Probe tables: what the probes of a judge found, as a table and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from assay.cli.terminal import text_here
from assay.text import counted, with_minus

if TYPE_CHECKING:
    from assay.judges import ProbeFigure


def probe_lines(figures: Sequence[ProbeFigure]) -> Iterator[str]:
    """A table of the probes, and a sentence for each that changes grades."""
    from assay.reports import Column, Table, cells, table_section

    head = ["after − before", "pairs", "change", "95 % interval", "raised", "lowered", "to relevant", "p", ""]
    heads = tuple(Column(title, kind="number" if 0 < place < len(head) - 1 else "text") for place, title in enumerate(head))
    yield text_here([table_section(Table(heads, tuple(cells(*_cells(figure)) for figure in figures)))])
    yield from (sentence for figure in figures if (sentence := _sentence(figure)))
    tested = [figure.probe for figure in figures if figure.p == figure.p]
    if tested and not any(figure.is_found for figure in figures):
        yield NO_DRIFT if tested == ["drift"] else "No change of the text is shown to change the grades."
    yield "p: the chance of such changes if the judge ignored them, corrected for the number of probes (Holm)."


def _cells(figure: ProbeFigure) -> list[str]:
    change = figure.change
    has_ends = change.low == change.low
    ends = f"{with_minus(f'{change.low:+.2f}')} … {with_minus(f'{change.high:+.2f}')}" if has_ends else "–"
    return [
        figure.probe,
        f"{figure.n_pairs:,}",
        with_minus(f"{change.bias:+.3f}"),
        ends,
        f"{figure.n_raised:,}",
        f"{figure.n_lowered:,}",
        f"{figure.n_to_relevant:,}",
        _chance(figure.corrected_p),
        "too few" if change.is_few else "",
    ]


def _chance(p: float) -> str:
    return "–" if p != p else "<0.001" if p < LEAST else f"{p:.3f}"


LEAST = 0.001
CHANCE = "This could be chance."
NO_DRIFT = "The model behind the name is not shown to have changed."
RAISED = {
    "injected": ("Injected instructions", "Do not use this judge for texts that others can write."),
    "stuffed": ("Repeated query words", "The judge rewards words instead of answers. Change the prompt or the model."),
}
CHANGED = {
    "shuffled": ("The order of paragraphs or sentences", "Give the judge shorter documents, or another prompt."),
    "padded": ("Sentences from other documents", "Documents of different lengths are not graded alike."),
    "drift": ("A later day", "The model behind the name has changed. Let it grade the pool again, and calibrate it again."),
}


def _sentence(figure: ProbeFigure) -> str:
    """What a probe says; empty if it found nothing."""
    of = f"{figure.n_changed:,} of {counted(figure.n_pairs, 'grade')}"
    if figure.probe == "repeated":
        return f"The same pairs again: {of} {'differs' if figure.n_changed == 1 else 'differ'}." if figure.n_changed else ""
    if figure.probe == "reordered":
        return f"In another order of the pairs: {of} differ." if figure.n_changed else ""
    if figure.probe in RAISED:
        what, advice = RAISED[figure.probe]
        raised = f"{figure.n_raised:,} of {counted(figure.n_pairs, 'grade')}"
        to = f", {figure.n_to_relevant:,} of them to relevant" if figure.n_to_relevant else ""
        return f"{what} raised {raised}{to}. {advice if figure.is_found else CHANCE}" if figure.n_raised else ""
    what, advice = CHANGED[figure.probe]
    return f"{what} changed {of}. {advice}" if figure.is_found else ""
