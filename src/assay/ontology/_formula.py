"""FORMULA: the parameter that names a similarity, for metrics and resolvers alike."""

from __future__ import annotations

from assay.errors import BadParameter, UnknownName
from assay.grammar import Param


class FormulaParser:
    """Reads the name of a similarity; the catalog is loaded when somebody asks."""

    def __call__(self, text: str) -> str:
        """Its canonical name: `hybrid`, `lin(ic=zhou)`."""
        from assay.ontology._similarity import parse_similarity

        try:
            return parse_similarity(text).name
        except UnknownName:
            raise ValueError(f"one of {', '.join(self.choices)}") from None
        except BadParameter as error:
            raise ValueError(f"a similarity as it is written ({error})") from None

    @property
    def choices(self) -> tuple[str, ...]:
        """All similarities there are."""
        from assay.ontology._similarity import all_similarities

        return tuple(all_similarities())


FORMULA = Param(
    "formula", FormulaParser(), "hybrid", "how alike two terms are: a similarity, such as lin(ic=zhou)", ("similarity",)
)
