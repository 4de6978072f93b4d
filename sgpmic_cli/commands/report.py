"""`sgpmic report`: write the HTML report of Table 2."""

from pathlib import Path
from typing import Annotated

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.errors import UsageError


def report(
    results: Annotated[Path, shared.option("Folder that contains table2 and figures.")] = Path(
        "results"
    ),
    out: Annotated[
        Path | None, shared.option("The HTML file to write.", default="sgpmic-out/report.html")
    ] = None,
) -> None:
    """Write one HTML page with Table 2, its verdicts, the figures, significance and protocol.

    The page reads what `sgpmic benchmark --out RESULTS/table2` and
    `sgpmic plot --out RESULTS/figures` wrote. It computes nothing and needs no network.
    """
    from sgpmic_cli.files.atomic import refuse_overwriting_inputs, write_whole
    from sgpmic_cli.report.table2_page import table2_page

    table = results / "table2"
    if not (table / "benchmark.json").exists():
        command = f"sgpmic benchmark --dataset all --variance all --methods all --out {table}"
        raise UsageError(f"there is no {str(table / 'benchmark.json')!r}: run `{command}` first.")
    target = out if out is not None else shared.OUTPUT_FOLDER / "report.html"
    refuse_overwriting_inputs(target.parent, [target.name], results.glob("*/*"))
    write_whole(target, table2_page(results))
    print(target)
