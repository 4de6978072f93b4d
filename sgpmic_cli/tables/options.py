"""Options for reading a table: the format of its file and the meaning of its columns."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from sgpmic_cli.errors import UsageError

EncodeMode = Literal["one-hot", "drop", "error"]
MissingMode = Literal["error", "drop", "median", "model"]


@dataclass(frozen=True)
class TextFormat:
    """Format of a text file.

    Parameters
    ----------
    separator : str or None, default=None
        Separator of the cells: one character, or "tab". None detects comma, semicolon, tab or
        vertical bar.
    decimal : str or None, default=None
        Decimal separator, "." or ",". None detects it.
    encoding : str or None, default=None
        Name of the encoding, such as "latin-1". None detects UTF-8, cp1252, and UTF-16 with a
        byte order mark.
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        if self.separator is not None:
            separator = "\t" if self.separator in ("tab", "\\t") else self.separator
            object.__setattr__(self, "separator", separator)
            if len(separator) != 1 or separator in '"\r\n.+-' or separator.isalnum():
                raise UsageError(
                    f"--separator {self.separator!r}: give one character such as ';', or tab"
                )
        if self.decimal not in (None, ".", ","):
            raise UsageError(f"--decimal {self.decimal!r}: give '.' or ','")


@dataclass(frozen=True)
class TableOptions:
    """Meaning of the columns of a table, and treatment of text and missing values.

    Parameters
    ----------
    label : str or None
        Column that holds the classes. It is not clustered; scores are computed with it.
    id : str or None
        Column that names the rows. It is not clustered and appears in all output tables. None
        selects the first column that looks like an identifier, if there is one.
    columns : tuple of str
        Columns to use; empty for all that can be used.
    drop : tuple of str
        Columns to leave out.
    encode : {"one-hot", "drop", "error"}
        Treatment of text columns: encode those with few values, leave all out, or raise an error.
    missing : {"median", "drop", "error", "model"}
        Treatment of missing values: fill in the median of the column (for text the most common
        value), leave the row out, raise an error, or pass NaN to the model.
    format : TextFormat
        Format of the file.
    """

    label: str | None = None
    id: str | None = None
    columns: Sequence[str] = ()
    drop: Sequence[str] = ()
    encode: str = "one-hot"
    missing: str = "median"
    format: TextFormat = field(default_factory=TextFormat)

    def __post_init__(self) -> None:
        for parameter in ("columns", "drop"):
            given = getattr(self, parameter)
            names = [given] if isinstance(given, str) else () if given is None else given
            object.__setattr__(self, parameter, tuple(map(str, names)))  # as columns are named
        modes: dict[str, Any] = {"encode": EncodeMode, "missing": MissingMode}
        for parameter, mode in modes.items():
            value, valid = getattr(self, parameter), get_args(mode)
            if value not in valid:
                raise UsageError(f"--{parameter} {value} is unknown; valid: {', '.join(valid)}")
