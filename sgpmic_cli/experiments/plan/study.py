"""What an experiment asks for, as one value: which data sets, rows and methods, how often, under which protocol."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, get_args

from sgpmic_cli.errors import UsageError
from sgpmic_cli.experiments.plan.cells import Cell
from sgpmic_cli.experiments.plan.methods import unknown
from sgpmic_cli.model.scaling import Scale

SCALES = get_args(Scale)
Vary = Callable[[Cell], Iterable[Cell]]


def unvaried(cell: Cell) -> list[Cell]:
    """Run the cell of the table as it is."""
    return [cell]


@dataclass(frozen=True)
class Study:
    """Everything that decides which numbers come out; how and where they are computed is in `RunOptions`."""

    datasets: Sequence[
        str
    ]  # names of the registry, `all` of the paper's, paths or patterns of CSV files
    variances: Sequence[str | int] = (95,)  # shares in percent that set Q, or `all`
    methods: Sequence[str] = ("all",)
    repeats: int = 10
    seed: int = 0
    protocol: str = "as-run"
    label: str | None = None  # column of classes in the CSV files; None for their last one
    scale: str | None = (
        None  # what the columns are brought to for all methods; None leaves it to each
    )
    vary: Vary = unvaried  # turns a cell of the table into the cells that are run in its place

    def __post_init__(self) -> None:
        """Refuse to run nothing."""
        if self.repeats < 1:
            raise UsageError(f"repeats={self.repeats} leaves nothing to run: give 1 or more.")
        if self.scale not in (None, *SCALES):
            raise UsageError(unknown("scale", str(self.scale), SCALES))

    def arguments(self) -> dict[str, Any]:
        """What was asked for as plain values, for the manifest."""
        return {
            field.name: getattr(self, field.name) for field in fields(self) if field.name != "vary"
        }
