"""read_annotations: which things, such as diseases, have which terms; what information content can be counted from."""

from __future__ import annotations

from pathlib import Path

from assay.errors import DataError, Faults

HPOA = ("database_id", "hpo_id")
"""Columns of HPO's phenotype.hpoa that name the thing and its term; older files call the first `#DatabaseID`."""


def read_annotations(path: str | Path) -> dict[str, list[str]]:
    """Thing → ids of its terms. HPO's phenotype.hpoa, or lines of two columns: thing and term.

    Annotations that something is absent (qualifier NOT) are left out, and so are lines that begin with #.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{file}: cannot be read: {error}") from None
    faults = Faults(str(file))
    found: dict[str, list[str]] = {}
    places: tuple[int, int, int | None] = (0, 1, None)
    n_columns = 2
    for number, line in enumerate(text.splitlines(), 1):
        columns = line.split("\t")
        if set(HPOA) <= set(columns):
            names = {name: place for place, name in enumerate(columns)}
            places, n_columns = (names[HPOA[0]], names[HPOA[1]], names.get("qualifier")), len(columns)
        elif not line.strip() or line.startswith("#"):
            continue
        elif len(columns) < n_columns:
            faults.add(number, f"expected {n_columns} columns between tabs, found {len(columns)}")
        elif places[2] is None or columns[places[2]].strip().upper() != "NOT":
            found.setdefault(columns[places[0]].strip(), []).append(columns[places[1]].strip())
    faults.raise_if_any()
    if not found:
        raise DataError(f"{file}: there is no annotation in it; expected lines of thing and term, or phenotype.hpoa")
    return found
