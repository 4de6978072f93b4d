"""What a person may say about a table: how its file is written, and what its columns are."""

from dataclasses import dataclass, field

from sgpmic_cli.errors import UsageError

ENCODINGS_OF_TEXT = ("one-hot", "drop", "error")
WAYS_WITH_HOLES = ("error", "drop", "median", "model")
SEPARATOR_NAMES = {
    "tab": "\t",
    "\\t": "\t",
    "comma": ",",
    "semicolon": ";",
    "pipe": "|",
    "space": " ",
}


@dataclass(frozen=True)
class TextFormat:
    """How a text file is written.

    Parameters
    ----------
    separator : str or None, default=None
        What stands between two cells: one character, or "tab", "comma", "semicolon", "pipe" or "space". None finds out
        whether it is a comma, a semicolon, a tab or a vertical bar.
    decimal : str, default="."
        The sign before the decimals, "." or ",".
    encoding : str or None, default=None
        Name of the encoding, such as "latin-1". None is UTF-8, or UTF-16 where the file starts with its mark.
    """

    separator: str | None = None
    decimal: str = "."
    encoding: str | None = None

    def __post_init__(self) -> None:
        if self.separator is not None:
            separator = SEPARATOR_NAMES.get(self.separator, self.separator)
            object.__setattr__(self, "separator", separator)
            if len(separator) != 1 or separator in '"\r\n' or separator.isalnum():
                raise UsageError(
                    f"separator={self.separator!r}: give one character such as ';', or tab"
                )
        if self.decimal not in (".", ","):
            raise UsageError(f"decimal={self.decimal!r}: give '.' or ','")
        if self.separator == self.decimal:
            raise UsageError(f"separator and decimal are both {self.decimal!r}: they must differ")


@dataclass(frozen=True)
class TableOptions:
    """What the columns of a table are, and what happens to text and to missing values.

    Parameters
    ----------
    label : str or None
        Column that holds the classes. It is never clustered; scores are measured against it.
    id : str or None
        Column that names the rows. It is never clustered, and stands in every table that is written. None takes the
        first column that looks like an id, if there is one.
    columns : tuple of str
        Columns to use; empty for all that can be used.
    drop : tuple of str
        Columns to leave out.
    encode : {"one-hot", "drop", "error"}
        What is done with columns of text: encode those of few values, leave all out, or refuse the table.
    missing : {"median", "drop", "error", "model"}
        What is done with missing values: fill in the median of the column (for text, its most common value), leave the
        row out, refuse the table, or hand them over as NaN to a model that can work with them.
    format : TextFormat
        How the file is written.
    """

    label: str | None = None
    id: str | None = None
    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    encode: str = "one-hot"
    missing: str = "median"
    format: TextFormat = field(default_factory=TextFormat)

    def __post_init__(self) -> None:
        for parameter, known in (("encode", ENCODINGS_OF_TEXT), ("missing", WAYS_WITH_HOLES)):
            if getattr(self, parameter) not in known:
                raise UsageError(
                    f"{parameter}={getattr(self, parameter)!r} is unknown; valid: {', '.join(known)}"
                )
        if self.label is not None and self.label == self.id:
            raise UsageError(
                f"label and id are both {self.label!r}: one column cannot be the class and name the rows"
            )
