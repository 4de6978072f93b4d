"""What was met in the rows of a table, counted block by block, and the notes that a person gets of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sgpmic_cli.data.intake.problems import listed, shown


@dataclass
class Tally:
    """Counts of all blocks so far."""

    rows: int = 0
    rows_left_out: int = 0
    columns: list[str] = field(
        default_factory=list
    )  # notes on the columns, the same for every block
    strangers: dict[str, int] = field(
        default_factory=dict
    )  # by column: texts that the model does not know ...
    first_stranger: dict[str, str] = field(
        default_factory=dict
    )  # ... and the first of them with its place
    holes: dict[str, int] = field(default_factory=dict)  # by column
    without_classes: str | None = None  # the column of classes, where it lacks some

    def notes(self, missing: str, text_columns: Sequence[str]) -> list[str]:
        """What a person should know, after holes were treated as `missing` says; some may be in columns of text."""
        notes = list(self.columns)
        for name, n in self.strangers.items():
            notes.append(
                f"column {shown(name)} has {n} value{'s' * (n > 1)} that the model does not know, such as "
                f"{self.first_stranger[name]}; counted as missing."
            )
        if self.without_classes is not None:
            notes.append(
                f"column {shown(self.without_classes)} lacks classes, so no scores are reported."
            )
        n = sum(self.holes.values())
        if n and missing == "drop":
            notes.append(
                f"{self.rows_left_out} of {self.rows} rows have missing values and are left out."
            )
        elif n and missing == "median":
            names = [name for name, count in self.holes.items() if count]
            with_text = any(name in names for name in text_columns)
            notes.append(
                f"{n} missing value{'s' * (n > 1)} in {listed(names)}: filled with the median of the column"
                f"{', for text its most common value' if with_text else ''}."
            )
        elif n:
            notes.append(f"{n} missing value{'s' * (n > 1)}: left to the model.")
        return notes
