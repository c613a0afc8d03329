"""The table of results."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple


class Row(NamedTuple):
    """One line: what was measured, the figures, how they compare with the aim, and whether it is met."""

    name: str
    measured: str
    aim: str = ""
    met: bool | None = None
    """None: a figure for comparison, with no aim of its own."""
    figures: Mapping[str, Any] = {}

    @property
    def verdict(self) -> str:
        return {True: "met", False: "NOT MET", None: "-"}[self.met]


def unmeasured(name: str, reason: object) -> Row:
    return Row(name, f"not measured: {reason}")


def table(rows: Iterable[Row]) -> str:
    """Return the rows as plain text in columns."""
    lines = [("what", "measured", "ratio / aim", "verdict")]
    lines += [(row.name, row.measured, row.aim, row.verdict) for row in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(3)]
    return "\n".join(
        "  ".join(
            [*(cell.ljust(width) for cell, width in zip(line, widths, strict=False)), line[3]]
        )
        for line in lines
    )


def ms(value: float) -> str:
    return f"{value:.3f}" if value < 10 else f"{value:.1f}"
