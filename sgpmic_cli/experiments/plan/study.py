"""Describe an experiment as one value: data sets, rows, methods, repeats, protocol."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sgpmic_cli.errors import UsageError
from sgpmic_cli.experiments.plan.cells import PROTOCOLS, Cell
from sgpmic_cli.experiments.plan.methods import unknown

Vary = Callable[[Cell], Iterable[Cell]]


def unvaried(cell: Cell) -> list[Cell]:
    """Return the cell unchanged."""
    return [cell]


@dataclass(frozen=True)
class Study:
    """Everything that determines the numbers. `RunOptions` says how and where they are computed."""

    datasets: Sequence[str]  # names of the registry, `all`, paths or patterns of CSV files
    variances: Sequence[str | int] = (95,)  # percentages of variance that set Q, or `all`
    methods: Sequence[str] = ("all",)
    repeats: int = 10
    seed: int = 0
    protocol: str = "as-run"
    label: str | None = None  # label column of the CSV files; None for the last column
    scale: str | None = None  # scaling of the columns for all methods; None for their own scaling
    vary: Vary = unvaried  # replaces a cell of the table by the cells to run

    def __post_init__(self) -> None:
        """Check the number of repeats and the protocol."""
        if self.repeats < 1:
            raise UsageError(f"--repeats {self.repeats} leaves nothing to run: give 1 or more.")
        if self.protocol not in PROTOCOLS:
            raise UsageError(unknown("protocol", self.protocol, PROTOCOLS))

    def arguments(self) -> dict[str, Any]:
        """Return the arguments as plain values, for the manifest."""
        names = [field.name for field in fields(self) if field.name != "vary"]
        return {name: getattr(self, name) for name in names}
