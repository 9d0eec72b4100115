"""Write the example judgments and runs. They are artificial, seeded and small enough to read."""

from __future__ import annotations

import random
from pathlib import Path

HERE = Path(__file__).parent
QUESTIONS = 40
PASSAGES = 300
SYSTEMS = {"bm25": 0.9, "dense": 1.3, "hybrid": 1.5}
"""How strongly the score of each system depends on the grade; the rest is noise."""


def main() -> None:
    """Write 40 questions over 300 passages, judged 0 to 3; each system returns 100 passages."""
    rng = random.Random(7)  # noqa: S311 (example data, not secrets)
    passages = [f"p{number:03}" for number in range(1, PASSAGES + 1)]
    qrels: dict[str, dict[str, int]] = {}
    for number in range(1, QUESTIONS + 1):
        judged = rng.sample(passages, rng.randint(8, 30))
        qrels[f"q{number:02}"] = {doc: rng.choice((0, 0, 0, 0, 1, 1, 2, 3)) for doc in judged}
    lines = [f"{query} 0 {doc} {grade}" for query, judged in qrels.items() for doc, grade in sorted(judged.items())]
    (HERE / "qrels.txt").write_text("\n".join(lines) + "\n")
    for system, skill in SYSTEMS.items():
        (HERE / f"{system}.run").write_text("\n".join(_rankings(system, skill, passages, qrels, rng)) + "\n")


def _rankings(
    system: str, skill: float, passages: list[str], qrels: dict[str, dict[str, int]], rng: random.Random
) -> list[str]:
    lines = []
    for query, judged in qrels.items():
        if system == "dense" and query in ("q17", "q31"):
            continue  # this system returned nothing for these queries, which also happens in practice
        score = {doc: round(10 + skill * judged.get(doc, 0) + rng.gauss(0, 1.4), 2) for doc in passages}
        best = sorted(passages, key=lambda doc: -score[doc])[:100]
        lines += [f"{query} Q0 {doc} {rank} {score[doc]} {system}" for rank, doc in enumerate(best, 1)]
    return lines


if __name__ == "__main__":
    main()
