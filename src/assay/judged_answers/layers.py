"""Layers: verdicts by people and by a model, which are never mixed; and which of them a result is computed from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median_low

from assay.errors import DataError, NothingSelected, UnknownName, UsageError, near_matches
from assay.judged_answers.draw import Draw, parse_draw
from assay.judged_answers.items import Item
from assay.store import PEOPLE, Judgment

MODEL, CORRECTED = "model", "corrected"
LAYERS = (PEOPLE, CORRECTED, MODEL)
NO_DRAW = (
    "people judged some of the queries, but the verdicts name no random draw. Queries that were chosen in another way say "
    "nothing about the others. Draw queries with --form FILE -n 50, or judge all of them"
)

ItemGrades = Mapping[str, float]
"""Id of an item → its grade."""


@dataclass(frozen=True)
class VerdictLayers:
    """The verdicts of people and of one model about the same items."""

    name: str
    """The layer of the result: people, corrected or model."""
    people: ItemGrades
    model: ItemGrades
    draw: Draw | None = None
    """How the queries for people were drawn; None if nobody wrote it down."""
    judges: tuple[str, ...] = ()
    """The names of the judges."""
    n_other: int = 0
    """Verdicts by people for other texts, which are not used."""


def layers_of(
    judgments: Sequence[Judgment], items: Iterable[Item], asked: str | None = None, judge: str | None = None
) -> VerdictLayers:
    """The layers of these verdicts. If there are both people and a model, `asked` must say which layer is used."""
    known = {item.id for item in items}
    fitting = [judgment for judgment in judgments if judgment.document in known]
    people = [judgment for judgment in fitting if judgment.kind == PEOPLE]
    model = _of_one_model([judgment for judgment in fitting if judgment.kind == MODEL], judge)
    if judgments and not fitting:
        raise DataError(
            f"these verdicts ({len(judgments):,}) are not about these answers. The texts have changed, or the claims are "
            "others: name their file with --claims (claims=)"
        )
    name = choose_layer(asked, has_people=bool(people), has_model=bool(model))
    used = (people if name != MODEL else []) + (model if name != PEOPLE else [])
    return VerdictLayers(
        name,
        _grades(people),
        _grades(model),
        _draw_of(people),
        tuple(sorted({judgment.judge for judgment in used})),
        sum(judgment.kind == PEOPLE for judgment in judgments) - len(people),
    )


def choose_layer(asked: str | None, *, has_people: bool, has_model: bool) -> str:
    """The layer of the result. Verdicts of people and of a model are never mixed in silence."""
    if asked is not None and asked not in LAYERS:
        raise UnknownName("kind of judgments", asked, near_matches(asked, LAYERS), f"choose from {', '.join(LAYERS)}")
    if asked in (PEOPLE, CORRECTED) and not has_people:
        raise NothingSelected(
            "there are no verdicts by people for these answers. To get a form for people, add --form FILE -n 50"
        )
    if asked in (MODEL, CORRECTED) and not has_model:
        raise NothingSelected("there are no verdicts by a model for these answers. To let one judge: --with JUDGE --send")
    if asked is None and has_people and has_model:
        raise UsageError(
            "there are verdicts by people and by a model, which are never mixed. Choose one with --judgments: people, "
            "corrected or model"
        )
    return asked or (PEOPLE if has_people else MODEL)


def _of_one_model(judgments: Sequence[Judgment], judge: str | None) -> list[Judgment]:
    names = sorted({judgment.judge for judgment in judgments})
    if judge is not None and judge not in names:
        raise UnknownName("model judge", judge, near_matches(judge, names), f"choose from {', '.join(names) or 'none'}")
    if judge is None and len(names) > 1:
        raise UsageError(f"{len(names)} models judged these answers. Add --judge   (choose from {', '.join(names)})")
    return [judgment for judgment in judgments if judgment.judge == (judge or judgment.judge)]


def _grades(judgments: Iterable[Judgment]) -> dict[str, float]:
    """One grade for each item: the lower median over its judges, as for pairs."""
    every: dict[str, list[float]] = {}
    for judgment in judgments:
        every.setdefault(judgment.document, []).append(judgment.grade)
    return {item: median_low(grades) for item, grades in every.items()}


def _draw_of(people: Iterable[Judgment]) -> Draw | None:
    names = sorted({judgment.pool for judgment in people})
    if len(names) > 1:
        shown = ", ".join(name or "no draw" for name in names)
        raise DataError(f"the verdicts by people are from {len(names)} draws: {shown}. Use the verdicts of one draw")
    return parse_draw(names[0]) if names and names[0] else None
