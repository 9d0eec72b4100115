"""The report: what a person has to look at after a move."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Report:
    """Remarks under headings, in the order in which they came up."""

    remarks: dict[str, list[str]] = field(default_factory=dict)

    def add(self, heading: str, remark: str) -> None:
        """One more remark; the same one twice is one."""
        under = self.remarks.setdefault(heading, [])
        if remark not in under:
            under.append(remark)

    def __str__(self) -> str:
        return "\n".join(
            f"## {heading}\n" + "".join(f"- {one}\n" for one in lines) for heading, lines in self.remarks.items()
        )
