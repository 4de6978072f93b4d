"""Options that tell what is in a table of one's own, and the library's parameters said as options."""

import csv
import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sgpmic_cli.commands.terminal.options import completion
from sgpmic_cli.errors import SgpmicError

if TYPE_CHECKING:
    from sgpmic_cli.data.intake.options import TextFormat

PANEL = "Your table"

Data = Annotated[
    str | None,
    typer.Argument(
        metavar="DATA",
        help="Name of a data set, path of a table (CSV, packed or not, Parquet or .npy), or - for standard input.",
        autocompletion=completion.datasets,
    ),
]
Label = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Column that holds the classes.", rich_help_panel=PANEL),
]
Id = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COLUMN",
        help="Column that names the rows in all that is written.",
        rich_help_panel=PANEL,
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAMES", help="Use these columns only; separate by commas.", rich_help_panel=PANEL
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAMES", help="Leave these columns out; separate by commas.", rich_help_panel=PANEL
    ),
]
Encode = Annotated[
    Literal["one-hot", "drop", "error"],
    typer.Option(
        help="Columns of text: encode those of few values, leave all out, or refuse.",
        rich_help_panel=PANEL,
    ),
]
Missing = Annotated[
    Literal["error", "drop", "median", "model"] | None,
    typer.Option(
        help="Missing values: refuse, leave the row out, fill in the median, or let the model fill them.",
        show_default="model if it can, else median",
        rich_help_panel=PANEL,
    ),
]
ScaleOption = Annotated[
    Literal["none", "global", "standard"] | None,
    typer.Option(
        help="Leave columns as they are, divide all by one factor, or bring each to unit variance.",
        show_default="standard; global in the paper's setting",
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        metavar="SIGN",
        help="What stands between cells; tab, ';', ...",
        show_default="found",
        rich_help_panel=PANEL,
    ),
]
Decimal = Annotated[
    str | None,
    typer.Option(
        metavar="SIGN",
        help="Sign before the decimals, '.' or ','.",
        show_default=".",
        rich_help_panel=PANEL,
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        help="Encoding of the text, such as latin-1.", show_default="utf-8", rich_help_panel=PANEL
    ),
]


def text_format(
    separator: str | None,
    decimal: str | None,
    encoding: str | None,
    usual: "TextFormat | None" = None,
) -> "TextFormat":
    """How a file is written: as it is said or, where nothing is, as usual."""
    from sgpmic_cli.data.intake.options import TextFormat

    said = {"separator": separator, "decimal": decimal, "encoding": encoding}
    return replace(
        usual or TextFormat(), **{name: value for name, value in said.items() if value is not None}
    )


def names(given: Sequence[str] | None) -> tuple[str, ...]:
    """Names separated by commas; one with a comma in it stands in quotes, as in a CSV file."""
    return tuple(
        name for row in csv.reader(given or (), skipinitialspace=True) for name in row if name
    )


def said_in_options(error: SgpmicError, known: Sequence[str]) -> str:
    """What an error says, with the parameters of a table's problems as options; those not `known` are not named."""
    from sgpmic_cli.data.intake.problems import TableError

    def option(parameter: str, value: Any) -> str | None:
        name = f"--{parameter}"
        words = ",".join(map(_quoted, value)) if isinstance(value, list) else str(value)
        return f"{name} {shlex.quote(words)}" if name in known else None

    return error.said(option) if isinstance(error, TableError) else str(error)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if "," in name or '"' in name else name
