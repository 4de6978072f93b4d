"""Rows of a table as numbers, and the report about them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from sgpmic_cli.data.intake.problems import Problem, listed, plural, shown


@dataclass(frozen=True, eq=False)
class Prepared:
    """Rows of a table as numbers."""

    Y: np.ndarray  # (N, P); NaN for missing values that the model handles
    row_numbers: np.ndarray  # (N,) row of the file, from 1
    ids: tuple[str, ...] | None
    classes: list[str] | None

    def part(self, rows: slice) -> "Prepared":
        """Return some of the rows."""
        ids = None if self.ids is None else self.ids[rows]
        classes = None if self.classes is None else self.classes[rows]
        return Prepared(self.Y[rows], self.row_numbers[rows], ids, classes)

    @classmethod
    def joined(cls, parts: Sequence["Prepared"]) -> "Prepared":
        """Concatenate parts of one table. The result has classes only if all parts have them."""
        ids = [part.ids for part in parts if part.ids is not None]
        classes = [part.classes for part in parts if part.classes is not None]
        return cls(
            np.concatenate([part.Y for part in parts]),
            np.concatenate([part.row_numbers for part in parts]),
            tuple(chain(*ids)) if ids else None,
            list(chain(*classes)) if len(classes) == len(parts) else None,
        )


@dataclass
class IntakeReport:
    """Problems, counts and notes about all blocks of a table that a recipe was applied to."""

    problems: list[Problem] = field(default_factory=list)
    rows: int = 0
    dropped_rows: int = 0
    column_notes: list[str] = field(default_factory=list)  # equal for all blocks
    unknown: Counter[str] = field(default_factory=Counter)  # texts without a category, by column
    first_unknown: dict[str, str] = field(default_factory=dict)  # with its position, by column
    missing: Counter[str] = field(default_factory=Counter)  # by column
    incomplete_label: str | None = None  # class column in which classes are missing

    def notes(self, missing: str, text_columns: Sequence[str]) -> list[str]:
        """Describe what happened to the rows, given how `missing` values were treated."""
        notes = list(self.column_notes)
        for name, n in self.unknown.items():
            notes.append(
                f"column {shown(name)} has {plural(n, 'value')} that the model does not know, such "
                f"as {self.first_unknown[name]}; counted as missing."
            )
        if self.incomplete_label is not None:
            label = shown(self.incomplete_label)
            notes.append(f"column {label} lacks classes, so no scores are reported.")
        names = [name for name, n in self.missing.items() if n]
        values = plural(sum(self.missing.values()), "missing value")
        if names and missing == "drop":
            notes.append(
                f"{self.dropped_rows} of {self.rows} rows have missing values and are left out."
            )
        elif names and missing == "median":
            has_text = not set(names).isdisjoint(text_columns)
            notes.append(
                f"{values} in {listed(names)}: filled with the median of the column"
                f"{', for text its most common value' if has_text else ''}."
            )
        elif names:
            notes.append(f"{values}: left to the model.")
        return notes
