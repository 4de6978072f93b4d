"""`sgpmic report`: everything on one page."""

from pathlib import Path
from typing import Annotated

import typer

from sgpmic_cli.commands.terminal.options import shared_options
from sgpmic_cli.errors import UsageError


def report(
    results: Annotated[Path, typer.Option(help="Folder with table2 and figures.")] = Path(
        "results"
    ),
    out: Annotated[
        Path | None, typer.Option(help="The page.", show_default="sgpmic-out/report.html")
    ] = None,
) -> None:
    """Write one self-contained HTML page: verdicts, Table 2 cell by cell, figures, significance, protocol.

    It reads what `sgpmic benchmark --out RESULTS/table2` and `sgpmic plot --out RESULTS/figures` wrote, computes
    nothing anew, and opens from disk without a network.
    """
    from sgpmic_cli.files.atomic import refuse_overwriting_inputs, write_whole
    from sgpmic_cli.report.page import page

    table = results / "table2"
    if not (table / "benchmark.json").exists():
        command = f"sgpmic benchmark --dataset all --variance all --methods all --out {table}"
        raise UsageError(f"there is no {str(table / 'benchmark.json')!r}: run `{command}` first.")
    target = out if out is not None else shared_options.EXPLORED / "report.html"
    refuse_overwriting_inputs(target.parent, [target.name], results.glob("*/*"))
    write_whole(target, page(results))
    print(target)
